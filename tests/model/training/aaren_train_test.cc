// The program as a user runs it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "model/package/package.h"

namespace aaren {
namespace {

using ::testing::HasSubstr;

constexpr char kSmall[] =
    " --steps=20 --batch=4 --context=64 --ring=16 --width=16 --layers=1 --heads=2 --value_width=16 --embed_hidden=16"
    " --mlp_hidden=16 --horizon=4 --fold_every=4 --quantiles=0.1,0.5,0.9 --validate_every=10 --checkpoint_every=5";

std::string Folder() {
  const std::string test = ::testing::UnitTest::GetInstance()->current_test_info()->name();
  const std::string folder = absl::StrCat(::testing::TempDir(), "/train_", test, "_", getpid());
  std::filesystem::create_directories(folder);
  return folder;
}

struct Outcome {
  int exit_code;
  std::string text;  // both outputs
};

Outcome Execute(const std::string& arguments) {
  FILE* pipe = popen((std::string(AAREN_TRAIN_PROGRAM) + arguments + " 2>&1").c_str(), "r");
  Outcome outcome;
  std::array<char, 4096> buffer;
  while (const size_t count = fread(buffer.data(), 1, buffer.size(), pipe)) outcome.text.append(buffer.data(), count);
  outcome.exit_code = WEXITSTATUS(pclose(pipe));
  return outcome;
}

void ExpectUserError(const std::string& arguments, const std::string& culprit) {
  const Outcome outcome = Execute(arguments);
  EXPECT_EQ(outcome.exit_code, 2) << outcome.text;
  EXPECT_THAT(outcome.text, HasSubstr(culprit));
}

std::string CsvWith(const std::string& text) {
  const std::string path = Folder() + "/data.csv";
  std::ofstream(path) << text;
  return path;
}

TEST(AarenTrainTest, WritesAPackageWithTheCommandThatMadeIt) {
  const std::string output = Folder() + "/model";
  const Outcome outcome = Execute(kSmall + (" --name=tiny --output=" + output));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.text;
  const absl::StatusOr<ModelPackage> package = LoadPackage(output);
  ASSERT_TRUE(package.ok()) << package.status();
  EXPECT_EQ(package->name, "tiny");
  EXPECT_EQ(package->training.at("steps"), "20");
  EXPECT_THAT(package->training.at("command"), HasSubstr("--name=tiny"));
}

TEST(AarenTrainTest, PipedProgressIsPlainLines) {
  const Outcome outcome = Execute(kSmall + (" --output=" + Folder()));
  EXPECT_THAT(outcome.text, HasSubstr("step 20/20"));
  EXPECT_EQ(outcome.text.find('\r'), std::string::npos);
}

TEST(AarenTrainTest, ResumesAfterAKillAndEndsWithTheSameWeights) {
  const std::string folder = Folder();
  const std::string arguments = std::string(kSmall) + " --steps=400 --checkpoint=" + folder + "/checkpoint --output=";
  const Outcome killed = Execute(arguments + folder + "/a & job=$!; while kill -0 $job && ! [ -s " + folder +
                                 "/checkpoint/checkpoint.pt ]; do sleep 0.01; done; kill -9 $job");
  ASSERT_FALSE(std::filesystem::exists(folder + "/a/model.json")) << killed.text;
  ASSERT_EQ(Execute(arguments + folder + "/a").exit_code, 0);
  ASSERT_EQ(Execute(std::string(kSmall) + " --steps=400 --output=" + folder + "/b").exit_code, 0);
  EXPECT_EQ(LoadPackage(folder + "/a")->tensors, LoadPackage(folder + "/b")->tensors);
}

TEST(AarenTrainTest, TrainsOnChosenColumnsOfACsvFile) {
  std::string text = "time,load,other\n";
  for (int t = 0; t < 200; ++t) text += std::to_string(t) + "," + std::to_string(t % 12) + ",0\n";
  const Outcome outcome =
      Execute(kSmall + (" --data=" + CsvWith(text) + " --columns=load --output=" + Folder() + "/model"));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
}

TEST(AarenTrainTest, UnknownFlagIsNamed) { ExpectUserError(" --stepz=3", "--stepz"); }

TEST(AarenTrainTest, BadValueIsNamedWithItsFlag) { ExpectUserError(" --steps=many --output=x", "--steps=many"); }

TEST(AarenTrainTest, BareWordIsRefused) { ExpectUserError(" series.csv", "\"series.csv\" is not a flag"); }

TEST(AarenTrainTest, OutputIsRequired) { ExpectUserError("", "--output"); }

TEST(AarenTrainTest, SizesThatDoNotFitAreNamed) {
  ExpectUserError(" --output=x --heads=7", "value_width is 128, not divisible by twice heads, which is 7");
}

TEST(AarenTrainTest, AbsentCsvIsNamed) {
  ExpectUserError(" --output=x --data=/nowhere/absent.csv", "/nowhere/absent.csv");
}

TEST(AarenTrainTest, TextInACsvIsNamed) {
  ExpectUserError(" --output=x --data=" + CsvWith("a,b\n1,2\n3,high\n"), "line 3 column \"b\": \"high\"");
}

TEST(AarenTrainTest, UnknownColumnIsNamed) {
  ExpectUserError(" --output=x --columns=c --data=" + CsvWith("a,b\n1,2\n"), "no column \"c\"");
}

TEST(AarenTrainTest, CsvWithoutNumbersIsRefused) {
  ExpectUserError(" --output=x --data=" + CsvWith("a,b\nx,y\n"), "no column of numbers");
}

TEST(AarenTrainTest, SeriesShorterThanTheHorizonNeedsIsRefused) {
  ExpectUserError(" --output=x --data=" + CsvWith("a\n1\n2\n"), "has 2 values");
}

TEST(AarenTrainTest, HelpListsTheFlags) {
  const Outcome outcome = Execute(" --help");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.text, HasSubstr("--checkpoint_every"));
}

}  // namespace
}  // namespace aaren
