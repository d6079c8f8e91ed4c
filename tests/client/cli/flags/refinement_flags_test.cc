#include "client/cli/flags/refinement_flags.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace aaren::cli {
namespace {

absl::StatusOr<RefinementFlags> Read(const std::vector<std::string>& arguments) {
  RefinementFlags refinement;
  Flags flags("aaren test", "Tests.");
  refinement.AddTo(flags);
  absl::Status status = flags.Parse(arguments).status();
  status.Update(refinement.Check());
  if (!status.ok()) return status;
  return refinement;
}

v1::OutputOptions Output(const std::vector<std::string>& arguments) {
  v1::OutputOptions output;
  Read(arguments)->SetIn(output);
  return output;
}

TEST(RefinementFlagsTest, EveryStepIsTakenUnlessAskedOtherwise) {
  EXPECT_EQ(Output({}).ByteSizeLong(), 0);
  EXPECT_EQ(Output({"--mix=on", "--calibrate=on", "--restrict=on"}).ByteSizeLong(), 0);
}

TEST(RefinementFlagsTest, EachStepIsLeftOutByItsFlag) {
  EXPECT_TRUE(Output({"--mix=off"}).unmixed());
  EXPECT_TRUE(Output({"--calibrate=off"}).uncalibrated());
  EXPECT_TRUE(Output({"--restrict=off"}).unrestricted());
}

TEST(RefinementFlagsTest, FlagThatIsNeitherOnNorOffIsNamed) {
  EXPECT_EQ(Read({"--restrict=yes"}).status().message(), "--restrict=yes is neither on nor off");
  EXPECT_EQ(Read({"--mix="}).status().message(), "--mix= is neither on nor off");
}

}  // namespace
}  // namespace aaren::cli
