#include "server/program/config/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"

namespace aaren::config {
namespace {

using testing::HasSubstr;

std::string WriteFile(const std::string& name, const std::string& text) {
  const std::string path = testing::TempDir() + name;
  std::ofstream(path) << text;
  return path;
}

std::string ErrorOf(const std::vector<std::string>& arguments) {
  return std::string(ParseCommandLine(arguments).status().message());
}

TEST(ConfigTest, EveryFieldHasAValueWithoutAnyArgument) {
  const auto line = ParseCommandLine({});
  ASSERT_TRUE(line.ok()) << line.status();
  EXPECT_EQ(line->config.listen(), "127.0.0.1:7860");
  std::vector<const google::protobuf::FieldDescriptor*> set;
  line->config.GetReflection()->ListFields(line->config, &set);
  EXPECT_EQ(set.size(), static_cast<size_t>(ServerConfig::descriptor()->field_count()));
}

TEST(ConfigTest, FlagsWinOverTheFile) {
  const std::string file = WriteFile("wins.textproto", "listen: \"file:1\"\nshards: 3\n");
  const auto line = ParseCommandLine({"--listen=flag:2", "--config=" + file});
  ASSERT_TRUE(line.ok()) << line.status();
  EXPECT_EQ(line->config.listen(), "flag:2");
  EXPECT_EQ(line->config.shards(), 3u);
}

TEST(ConfigTest, WhatItPrintsReadsBackTheSame) {
  const auto line = ParseCommandLine({"--grace=1m", "--log_format=json", "--store=memory"});
  ASSERT_TRUE(line.ok()) << line.status();
  ServerConfig again;
  ASSERT_TRUE(ParseConfigText("printed", PrintConfig(line->config), again).ok());
  EXPECT_EQ(again.SerializeAsString(), line->config.SerializeAsString());
}

TEST(ConfigTest, DurationsAreTexts) {
  const auto line = ParseCommandLine({"--save_interval=250ms"});
  ASSERT_TRUE(line.ok()) << line.status();
  EXPECT_EQ(ToDuration(line->config.save_interval()), absl::Milliseconds(250));
}

TEST(ConfigTest, SizesMayHaveUnits) {
  const auto memory = [](const std::string& text) { return ParseCommandLine({"--memory=" + text})->config.memory(); };
  EXPECT_EQ(memory("4096"), 4096u);
  EXPECT_EQ(memory("512MiB"), 512u << 20);
  EXPECT_EQ(memory("2GB"), 2'000'000'000u);
}

TEST(ConfigTest, NamesASizeThatIsNone) {
  for (const std::string text : {"", "GB", "-1MB", "1.5GB", "99999999999TB", "2GBMB"}) {
    EXPECT_THAT(ErrorOf({"--memory=" + text}), HasSubstr("--memory=" + text + " is not a size")) << text;
  }
}

TEST(ConfigTest, EveryDefaultIsAllowed) {
  const auto line = ParseCommandLine({});
  ASSERT_TRUE(line.ok()) << line.status();
  ServerConfig again;
  EXPECT_EQ(ParseConfigText("defaults", PrintConfig(line->config), again), absl::OkStatus());
}

TEST(ConfigTest, NamesAValueOutOfRangeInAFileAndItsLine) {
  const std::string file = WriteFile("range.textproto", "shards: 2\nmax_channels: 0\n");
  EXPECT_THAT(ErrorOf({"--config=" + file}), HasSubstr("range.textproto:2: max_channels: '0' is less than 1"));
}

TEST(ConfigTest, ASwitchNeedsNoValueAndMayBeTurnedOff) {
  EXPECT_FALSE(ParseCommandLine({})->config.insecure());
  EXPECT_TRUE(ParseCommandLine({"--insecure"})->config.insecure());
  EXPECT_TRUE(ParseCommandLine({"--insecure=true"})->config.insecure());
  const std::string file = WriteFile("switch.textproto", "insecure: true");
  EXPECT_TRUE(ParseCommandLine({"--config=" + file})->config.insecure());
  EXPECT_FALSE(ParseCommandLine({"--config=" + file, "--insecure=false"})->config.insecure());
  EXPECT_THAT(ErrorOf({"--insecure=banana"}), HasSubstr("--insecure"));
}

TEST(ConfigTest, AFlagMayHaveNoValueAtAll) {
  const auto line = ParseCommandLine({"--metrics_listen=", "--shards=3"});
  ASSERT_TRUE(line.ok()) << line.status();
  EXPECT_EQ(line->config.metrics_listen(), "");
  EXPECT_EQ(line->config.shards(), 3u);
}

TEST(ConfigTest, VersionIsAnsweredWhateverElseIsAsked) {
  EXPECT_THAT(ParseCommandLine({"--version", "--shards=2"})->answer, testing::StartsWith("aaren-server "));
}

TEST(ConfigTest, NamesAnUnknownFlag) { EXPECT_THAT(ErrorOf({"--listn=x"}), HasSubstr("--listn")); }

TEST(ConfigTest, NamesAFlagWithoutValue) { EXPECT_THAT(ErrorOf({"--shards"}), HasSubstr("--shards needs a value")); }

TEST(ConfigTest, NamesAnArgumentThatIsNoFlag) { EXPECT_THAT(ErrorOf({"serve"}), HasSubstr("\"serve\"")); }

TEST(ConfigTest, NamesAValueOfTheWrongType) {
  EXPECT_THAT(ErrorOf({"--shards=two"}), HasSubstr("--shards=two is not"));
  EXPECT_THAT(ErrorOf({"--shards=-1"}), HasSubstr("--shards=-1 is not"));
}

TEST(ConfigTest, NamesAValueOutOfRangeAndTheLimit) {
  EXPECT_THAT(ErrorOf({"--max_channels=0"}), HasSubstr("--max_channels=0 is less than 1"));
  EXPECT_THAT(ErrorOf({"--shards=2000"}), HasSubstr("--shards=2000 is more than 1024"));
}

TEST(ConfigTest, AShareIsBetweenZeroAndOne) {
  EXPECT_EQ(ParseCommandLine({"--trace_sampling=0.25"})->config.trace_sampling(), 0.25);
  for (const char* share : {"1.5", "-0.1", "nan"}) {
    EXPECT_THAT(ErrorOf({std::string("--trace_sampling=") + share}), HasSubstr("is not between 0 and 1")) << share;
  }
  EXPECT_THAT(ErrorOf({"--trace_sampling=some"}), HasSubstr("is not a number"));
}

TEST(ConfigTest, NamesAnUnknownChoiceAndWhatThereIs) {
  EXPECT_THAT(ErrorOf({"--device=tpu"}), HasSubstr("--device=tpu is none of auto|cpu|cuda"));
}

TEST(ConfigTest, NamesADurationThatIsNone) {
  EXPECT_THAT(ErrorOf({"--grace=20"}), HasSubstr("--grace=20 is not"));
  EXPECT_THAT(ErrorOf({"--grace=-1s"}), HasSubstr("--grace=-1s is not"));
}

TEST(ConfigTest, NamesADurationThatNoClockCounts) {
  for (const char* text : {"inf", "876001h", "99999999999h"}) {
    EXPECT_THAT(ErrorOf({absl::StrCat("--models_period=", text)}),
                HasSubstr(absl::StrCat("--models_period=", text, " is more than 100 years")));
  }
  EXPECT_EQ(ErrorOf({"--models_period=876000h"}), "");
}

TEST(ConfigTest, NamesTheLineOfAnUnknownField) {
  const std::string file = WriteFile("unknown.textproto", "shards: 2\nlisten_port: 1\n");
  const std::string error = ErrorOf({"--config=" + file});
  EXPECT_THAT(error, HasSubstr("unknown.textproto:2"));
  EXPECT_THAT(error, HasSubstr("listen_port"));
}

TEST(ConfigTest, NamesTheLineOfABadValue) {
  const std::string file = WriteFile("bad.textproto", "shards: 2\n\ngrace: \"soon\"\n");
  EXPECT_THAT(ErrorOf({"--config=" + file}), HasSubstr("bad.textproto:3: grace: 'soon'"));
}

TEST(ConfigTest, AnEmptyFileSaysNothing) {
  const absl::StatusOr<CommandLine> line = ParseCommandLine({"--config=" + WriteFile("empty_config", "")});
  ASSERT_TRUE(line.ok()) << line.status();
  EXPECT_EQ(PrintConfig(line->config), PrintConfig(ParseCommandLine({})->config));
}

TEST(ConfigTest, NamesAFolderInPlaceOfTheFile) {
  EXPECT_EQ(ErrorOf({"--config=" + testing::TempDir()}), "cannot read the settings file " + testing::TempDir());
}

TEST(ConfigTest, AFileWithoutAnEndIsRefused) {
  EXPECT_THAT(ErrorOf({"--config=/dev/zero"}), HasSubstr("/dev/zero: more than 1048576 bytes"));
}

TEST(ConfigTest, NamesAFileThatIsNotThere) {
  EXPECT_THAT(ErrorOf({"--config=/nowhere/x.textproto"}), HasSubstr("/nowhere/x.textproto"));
}

TEST(ConfigTest, HelpListsEverySetting) {
  const auto line = ParseCommandLine({"--help"});
  ASSERT_TRUE(line.ok()) << line.status();
  for (int i = 0; i < ServerConfig::descriptor()->field_count(); ++i) {
    EXPECT_THAT(line->answer, HasSubstr("  --" + ServerConfig::descriptor()->field(i)->name() + " "));
  }
}

}  // namespace
}  // namespace aaren::config
