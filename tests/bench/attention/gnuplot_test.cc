#include "tests/bench/attention/gnuplot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace aaren::bench {
namespace {

using ::testing::HasSubstr;

TEST(GnuplotTest, MissingProgramSaysWhatToInstall) {
  const absl::Status status = RunGnuplot("exit", "no-such-gnuplot");
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(status.message(), HasSubstr("gnuplot-nox"));
}

TEST(GnuplotTest, ScriptIsTheProgramsInput) {
  EXPECT_TRUE(RunGnuplot("exit 0", "sh").ok());
  EXPECT_EQ(RunGnuplot("exit 3", "sh").code(), absl::StatusCode::kInternal);
}

TEST(GnuplotTest, ProgramThatReadsNothingIsNoTrouble) {
  EXPECT_TRUE(RunGnuplot(std::string(1 << 20, ' '), "true").ok());
}

TEST(GnuplotTest, QuotesAreDoubled) { EXPECT_EQ(Quoted("it's"), "'it''s'"); }

}  // namespace
}  // namespace aaren::bench
