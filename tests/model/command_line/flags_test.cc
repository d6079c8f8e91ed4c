#include "model/command_line/flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"

namespace aaren::command_line {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

class FlagsTest : public ::testing::Test {
 protected:
  FlagsTest() : flags_("aaren test", "Tests.") {
    flags_.Add("session", &session_, "an id");
    flags_.Add("horizon", &horizon_, "steps");
    flags_.Add("json", &json_, "objects");
    flags_.Add("csv", &csv_, "files");
    flags_.Add("start", &start_, "a row");
    flags_.Add("interval", &interval_, "a while");
  }

  std::string ErrorOf(const std::vector<std::string>& arguments) {
    return std::string(flags_.Parse(arguments).status().message());
  }

  Flags flags_;
  std::string session_ = "none";
  uint32_t horizon_ = 24;
  bool json_ = false;
  std::vector<std::string> csv_;
  std::optional<int64_t> start_;
  absl::Duration interval_;
};

TEST_F(FlagsTest, TakesValuesBehindEqualsAndBehindBlank) {
  ASSERT_TRUE(flags_.Parse({"--session=a", "--horizon", "7"}).ok());
  EXPECT_EQ(session_, "a");
  EXPECT_EQ(horizon_, 7u);
}

TEST_F(FlagsTest, VariableOfAFlagThatIsNotGivenKeepsItsValue) {
  ASSERT_TRUE(flags_.Parse({"--json"}).ok());
  EXPECT_EQ(session_, "none");
  EXPECT_EQ(horizon_, 24u);
  EXPECT_EQ(start_, std::nullopt);
}

TEST_F(FlagsTest, EqualsWithNothingBehindItIsAnEmptyValue) {
  ASSERT_TRUE(flags_.Parse({"--session=", "--json"}).ok());
  EXPECT_EQ(session_, "");
  EXPECT_TRUE(json_);
}

TEST_F(FlagsTest, ValueBehindABlankMayLookLikeAFlag) {
  ASSERT_TRUE(flags_.Parse({"--session", "--json"}).ok());
  EXPECT_EQ(session_, "--json");
  EXPECT_FALSE(json_);
}

TEST_F(FlagsTest, ValueMayHoldEqualsAndBrackets) {
  ASSERT_TRUE(flags_.Parse({"--session=a=[b,c]", "--csv=[a,b]"}).ok());
  EXPECT_EQ(session_, "a=[b,c]");
  EXPECT_THAT(csv_, ElementsAre("[a,b]"));
}

TEST_F(FlagsTest, BoolMayBeTakenBack) {
  ASSERT_TRUE(flags_.Parse({"--json", "--json=false"}).ok());
  EXPECT_FALSE(json_);
}

TEST_F(FlagsTest, LastOfARepeatedFlagHolds) {
  ASSERT_TRUE(flags_.Parse({"--horizon=3", "--horizon=4"}).ok());
  EXPECT_EQ(horizon_, 4u);
}

TEST_F(FlagsTest, RepeatedFlagOfAListCollectsItsValues) {
  ASSERT_TRUE(flags_.Parse({"--csv=a.csv", "--csv", "b.csv,c.csv"}).ok());
  EXPECT_THAT(csv_, ElementsAre("a.csv", "b.csv,c.csv"));
}

TEST_F(FlagsTest, FlagOfAListTakesOneWord) {
  EXPECT_THAT(ErrorOf({"--csv", "a.csv", "b.csv"}), HasSubstr("\"b.csv\""));
}

TEST_F(FlagsTest, NegativeNumberIsAValue) {
  ASSERT_TRUE(flags_.Parse({"--start", "-96"}).ok());
  EXPECT_EQ(start_, -96);
}

TEST_F(FlagsTest, LeadingZeroMakesNoOctalNumber) {
  ASSERT_TRUE(flags_.Parse({"--horizon=010"}).ok());
  EXPECT_EQ(horizon_, 10u);
}

TEST_F(FlagsTest, UnknownFlagIsNamedWithTheOneMeant) {
  EXPECT_EQ(ErrorOf({"--horizan=3"}), "unknown flag --horizan; did you mean --horizon?");
}

TEST_F(FlagsTest, UnknownFlagLikeNoneNamesNone) {
  EXPECT_EQ(ErrorOf({"--quux=3"}), "unknown flag --quux; --help lists the flags");
}

TEST_F(FlagsTest, FlagIsNotShortened) { EXPECT_THAT(ErrorOf({"--horiz=3"}), HasSubstr("unknown flag --horiz")); }

TEST_F(FlagsTest, WordThatIsNoFlagIsNamed) {
  EXPECT_EQ(ErrorOf({"--json", "list"}), "\"list\" is not a flag");
  EXPECT_EQ(ErrorOf({"-x"}), "\"-x\" is not a flag");
  EXPECT_EQ(ErrorOf({"--", "--json"}), "\"--json\" is not a flag");
}

TEST_F(FlagsTest, BadValueIsNamedWithWhatItShouldBe) {
  EXPECT_EQ(ErrorOf({"--horizon=-1"}), "--horizon=-1 is not a whole number, not negative");
  EXPECT_EQ(ErrorOf({"--horizon=99999999999999999999"}), "--horizon=99999999999999999999 is too large");
  EXPECT_EQ(ErrorOf({"--start=1.5"}), "--start=1.5 is not a whole number");
  EXPECT_THAT(ErrorOf({"--interval=soon"}), HasSubstr("--interval=soon is not a duration"));
  EXPECT_THAT(ErrorOf({"--interval=-1s"}), HasSubstr("--interval=-1s is not a duration"));
  EXPECT_THAT(ErrorOf({"--json=maybe"}), HasSubstr("--json"));
}

TEST_F(FlagsTest, BadValueIsNamedThoughALaterOneIsGood) {
  EXPECT_THAT(ErrorOf({"--horizon=many", "--horizon=3"}), HasSubstr("--horizon=many"));
}

TEST_F(FlagsTest, GoodLineAfterABadOneIsTaken) {
  EXPECT_FALSE(flags_.Parse({"--horizon=many"}).ok());
  EXPECT_TRUE(flags_.Parse({"--horizon=3"}).ok());
}

TEST_F(FlagsTest, MissingValueIsNamed) { EXPECT_EQ(ErrorOf({"--session"}), "--session needs a value"); }

TEST_F(FlagsTest, HelpIndentsTheLinesOfAFlag) {
  std::string rate;
  flags_.Add("rate", &rate, "of one line\nand another");
  EXPECT_THAT(flags_.Help(), HasSubstr("  --rate               of one line\n                       and another\n"));
}

TEST_F(FlagsTest, HelpListsFlagsWithTheirDefaults) {
  const auto parsed = flags_.Parse({"--session=a", "--help", "--quux"});
  ASSERT_TRUE(parsed.ok());
  EXPECT_THAT(parsed->answer, HasSubstr("aaren test\n\nTests.\n\n"));
  EXPECT_THAT(parsed->answer, HasSubstr("--horizon            steps (default 24)\n"));
  EXPECT_THAT(parsed->answer, HasSubstr("--json               objects\n"));
}

TEST_F(FlagsTest, ValuesAreThoseGivenOrDefaults) {
  ASSERT_TRUE(flags_.Parse({"--session=a"}).ok());
  EXPECT_THAT(flags_.Values(), testing::IsSupersetOf({Pair("session", "a"), Pair("horizon", "24")}));
}

TEST(FlagTest, WordThatIsNoneOfThoseAllowedIsNamedWithThem) {
  Flags flags("aaren test", "Tests.");
  std::string mix = "on";
  flags.Add("mix", &mix, "on or off").OneOf({"on", "off"});
  EXPECT_EQ(flags.Parse(std::vector<std::string>{"--mix=yes"}).status().message(), "--mix=yes is none of on, off");
  EXPECT_TRUE(flags.Parse(std::vector<std::string>{"--mix=off"}).ok());
}

TEST(FlagTest, NumberOutOfItsBoundsIsNamedWithThem) {
  Flags flags("aaren test", "Tests.");
  int64_t horizon = 1, age = 1;
  flags.Add("horizon", &horizon, "steps").Between(1, 9);
  flags.Add("age", &age, "rows").AtLeast(1);
  EXPECT_EQ(flags.Parse(std::vector<std::string>{"--horizon=0"}).status().message(), "--horizon=0 is not in 1 .. 9");
  EXPECT_EQ(flags.Parse(std::vector<std::string>{"--age=-1"}).status().message(), "--age=-1 is not at least 1");
  EXPECT_TRUE(flags.Parse(std::vector<std::string>{"--horizon=9", "--age=9223372036854775807"}).ok());
}

TEST(FlagTest, FlagThatNeedsAnotherNamesIt) {
  Flags flags("aaren test", "Tests.");
  bool only = false, json = false;
  flags.Add("only", &only, "").Needs(flags.Add("json", &json, ""));
  EXPECT_EQ(flags.Parse(std::vector<std::string>{"--only"}).status().message(), "--only requires --json");
  EXPECT_TRUE(flags.Parse(std::vector<std::string>{"--only", "--json"}).ok());
}

TEST(FlagTest, RequiredFlagIsNamedWhereItLacks) {
  Flags flags("aaren test", "Tests.");
  std::string output;
  flags.Add("output", &output, "").Required();
  EXPECT_EQ(flags.Parse({}).status().message(), "--output is required");
}

TEST(FlagTest, FlagWithoutVariableHandsItsValueOn) {
  Flags flags("aaren test", "Tests.");
  std::string taken;
  const auto set = [&taken](const std::string& value) {
    taken = value;
    return value == "bad" ? absl::InvalidArgumentError("is bad") : absl::OkStatus();
  };
  flags.Add("port", set, "a port", "7860");
  ASSERT_TRUE(flags.Parse(std::vector<std::string>{"--port=1"}).ok());
  EXPECT_EQ(taken, "1");
  EXPECT_EQ(flags.Parse(std::vector<std::string>{"--port=bad"}).status().message(), "--port=bad is bad");
}

TEST(FlagTest, VersionIsAnswered) {
  Flags flags("aaren test", "Tests.");
  flags.AddVersion("aaren 1.2.3");
  EXPECT_EQ(flags.Parse(std::vector<std::string>{"--version"})->answer, "aaren 1.2.3\n");
}

class VerbTest : public ::testing::Test {
 protected:
  VerbTest() : flags_("aaren test", "Tests.") {
    flags_.AddVerb("list", {}, "lists");
    flags_.AddVerb("fork", {"ID", "NEW_ID"}, "copies");
    flags_.RequireVerb();
    flags_.Add("json", &json_, "objects");
  }

  std::string ErrorOf(const std::vector<std::string>& arguments) {
    return std::string(flags_.Parse(arguments).status().message());
  }

  Flags flags_;
  bool json_ = false;
};

TEST_F(VerbTest, FlagsStandBeforeAndBehindIt) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"--json", "list"}, {"list", "--json"}}) {
    json_ = false;
    const auto parsed = flags_.Parse(words);
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    EXPECT_EQ(parsed->verb, "list");
    EXPECT_THAT(parsed->operands, IsEmpty());
    EXPECT_TRUE(json_);
  }
}

TEST_F(VerbTest, OperandsFollowIt) {
  const auto parsed = flags_.Parse({"fork", "a", "--json", "b"});
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_THAT(parsed->operands, ElementsAre("a", "b"));
}

TEST_F(VerbTest, OperandMayBeCalledLikeAVerb) {
  EXPECT_THAT(flags_.Parse({"fork", "list", "fork"})->operands, ElementsAre("list", "fork"));
}

TEST_F(VerbTest, OperandBehindTwoDashesMayLookLikeAFlag) {
  EXPECT_THAT(flags_.Parse({"fork", "a", "--", "--json"})->operands, ElementsAre("a", "--json"));
}

TEST_F(VerbTest, MissingOperandIsNamed) { EXPECT_THAT(ErrorOf({"fork", "a"}), HasSubstr("NEW_ID is required")); }

TEST_F(VerbTest, OperandTooManyIsNamed) {
  EXPECT_EQ(ErrorOf({"list", "a"}), "\"a\" is one word too many");
  EXPECT_EQ(ErrorOf({"fork", "a", "b", "c"}), "\"c\" is one word too many");
}

TEST_F(VerbTest, UnknownOneIsNamedWithTheOneMeant) {
  EXPECT_EQ(ErrorOf({"lisst"}), "unknown subcommand \"lisst\"; did you mean list?");
}

TEST_F(VerbTest, TwoDashesAloneAreNoOperand) {
  EXPECT_THAT(ErrorOf({"fork", "a", "--"}), HasSubstr("NEW_ID is required"));
}

TEST_F(VerbTest, UnknownFlagIsNamedBeforeWhatIsMissing) {
  EXPECT_THAT(ErrorOf({"fork", "--quux"}), HasSubstr("--quux"));
}

TEST_F(VerbTest, MissingOneIsAskedFor) { EXPECT_THAT(ErrorOf({"--json"}), HasSubstr("subcommand is required")); }

TEST_F(VerbTest, HelpListsVerbsWithTheirOperands) {
  const auto parsed = flags_.Parse({"list", "--help"});
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_THAT(parsed->answer, HasSubstr("  fork ID NEW_ID       copies\n"));
}

TEST(ParseBytesTest, UnitsAreDecimalOrBinary) {
  const auto bytes = [](const std::string& text) {
    uint64_t value = 0;
    return ParseBytes(text, value) ? absl::StrCat(value) : "none";
  };
  EXPECT_EQ(bytes("4096"), "4096");
  EXPECT_EQ(bytes("0"), "0");
  EXPECT_EQ(bytes("0GB"), "0");
  EXPECT_EQ(bytes("010kB"), "10000");
  EXPECT_EQ(bytes("512MiB"), absl::StrCat(512u << 20));
  EXPECT_EQ(bytes("2GB"), "2000000000");
  EXPECT_EQ(bytes("2Gi"), absl::StrCat(2ull << 30));
  for (const char* text : {"", "GB", "-1MB", "1.5GB", "99999999999TB", "2GBMB", "2 GB x", "0x10"}) {
    EXPECT_EQ(bytes(text), "none") << text;
  }
}

}  // namespace
}  // namespace aaren::command_line
