#include "client/cli/flags/refinement_flags.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace aaren::cli {
namespace {

absl::StatusOr<RefinementFlags> ReadRefinement(const std::vector<std::string>& arguments) {
  RefinementFlags refinement;
  command_line::Flags flags("aaren test", "Tests.");
  refinement.AddTo(flags);
  if (absl::Status status = flags.Parse(arguments).status(); !status.ok()) return status;
  return refinement;
}

client::Refinement RefinementOf(const std::vector<std::string>& arguments) {
  return ReadRefinement(arguments)->Refinement();
}

TEST(RefinementFlagsTest, EveryStepIsTakenUnlessAskedOtherwise) {
  EXPECT_EQ(RefinementOf({}), client::Refinement::kFull);
  EXPECT_EQ(RefinementOf({"--mix=on", "--calibrate=on", "--restrict=on"}), client::Refinement::kFull);
}

TEST(RefinementFlagsTest, EachStepIsLeftOutByItsFlagWithThoseBehindIt) {
  EXPECT_EQ(RefinementOf({"--mix=off"}), client::Refinement::kNone);
  EXPECT_EQ(RefinementOf({"--calibrate=off"}), client::Refinement::kUncalibrated);
  EXPECT_EQ(RefinementOf({"--restrict=off"}), client::Refinement::kUnrestricted);
  EXPECT_EQ(RefinementOf({"--restrict=off", "--calibrate=off"}), client::Refinement::kUncalibrated);
}

TEST(RefinementFlagsTest, FlagThatIsNeitherOnNorOffIsNamed) {
  EXPECT_EQ(ReadRefinement({"--restrict=yes"}).status().message(), "--restrict=yes is none of on, off");
  EXPECT_EQ(ReadRefinement({"--mix="}).status().message(), "--mix= is none of on, off");
}

}  // namespace
}  // namespace aaren::cli
