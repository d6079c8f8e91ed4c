#include "client/cli/flags/flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace aaren::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

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
  std::string session_;
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

TEST_F(FlagsTest, BoolStandsAloneAndTakesNoWordBehindIt) {
  const auto words = flags_.Parse({"--json", "list"});
  ASSERT_TRUE(words.ok());
  EXPECT_TRUE(json_);
  EXPECT_THAT(*words, ElementsAre("list"));
}

TEST_F(FlagsTest, RepeatedFlagCollectsItsValues) {
  ASSERT_TRUE(flags_.Parse({"--csv=a.csv", "--csv=b.csv"}).ok());
  EXPECT_THAT(csv_, ElementsAre("a.csv", "b.csv"));
}

TEST_F(FlagsTest, NegativeNumberIsAValue) {
  ASSERT_TRUE(flags_.Parse({"--start", "-96"}).ok());
  EXPECT_EQ(start_, -96);
}

TEST_F(FlagsTest, WordsBehindTwoDashesAreNoFlags) {
  const auto words = flags_.Parse({"get", "--", "--json"});
  ASSERT_TRUE(words.ok());
  EXPECT_THAT(*words, ElementsAre("get", "--json"));
}

TEST_F(FlagsTest, UnknownFlagIsNamedWithTheOneMeant) {
  EXPECT_EQ(ErrorOf({"--horizan=3"}), "unknown flag --horizan; did you mean --horizon?");
}

TEST_F(FlagsTest, UnknownFlagLikeNoneNamesNone) {
  EXPECT_EQ(ErrorOf({"--quux=3"}), "unknown flag --quux; --help lists the flags");
}

TEST_F(FlagsTest, BadValueIsNamedWithWhatItShouldBe) {
  EXPECT_EQ(ErrorOf({"--horizon=-1"}), "--horizon=-1 is not a whole number, not negative");
  EXPECT_THAT(ErrorOf({"--interval=soon"}), HasSubstr("--interval=soon is not a duration"));
}

TEST_F(FlagsTest, MissingValueIsNamed) { EXPECT_EQ(ErrorOf({"--session"}), "--session needs a value"); }

TEST_F(FlagsTest, HelpIndentsTheLinesOfAFlag) {
  std::string rate;
  flags_.Add("rate", &rate, "of one line\nand another");
  EXPECT_THAT(flags_.Help(), HasSubstr("  --rate               of one line\n                       and another\n"));
}

TEST_F(FlagsTest, HelpListsFlagsWithTheirDefaults) {
  ASSERT_TRUE(flags_.Parse({"--session=a", "--help"}).ok());
  EXPECT_TRUE(flags_.help());
  EXPECT_THAT(flags_.Help(), HasSubstr("--horizon            steps (default 24)"));
}

}  // namespace
}  // namespace aaren::cli
