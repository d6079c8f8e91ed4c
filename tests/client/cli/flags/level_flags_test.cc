#include "client/cli/flags/level_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace aaren::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

absl::StatusOr<std::vector<float>> ReadLevels(const std::vector<std::string>& arguments) {
  LevelFlags levels;
  command_line::Flags flags("aaren test", "Tests.");
  levels.AddTo(flags);
  if (absl::Status status = flags.Parse(arguments).status(); !status.ok()) return status;
  return levels.levels;
}

TEST(LevelFlagsTest, WithoutThemTheModelDecides) { EXPECT_THAT(*ReadLevels({}), IsEmpty()); }

TEST(LevelFlagsTest, QuantilesAscendEachOnce) {
  EXPECT_THAT(*ReadLevels({"--quantiles=0.95,0.05,0.5,0.05"}), ElementsAre(0.05f, 0.5f, 0.95f));
}

TEST(LevelFlagsTest, IntervalsHaveTheirEndsAndTheMedian) {
  EXPECT_THAT(*ReadLevels({"--level=80,95"}), ElementsAre(0.025f, 0.1f, 0.5f, 0.9f, 0.975f));
}

TEST(LevelFlagsTest, BothFlagsAddUp) {
  EXPECT_THAT(*ReadLevels({"--level=80", "--quantiles=0.005,0.9"}), ElementsAre(0.005f, 0.1f, 0.5f, 0.9f));
}

TEST(LevelFlagsTest, LevelsOutOfRangeAreNamed) {
  EXPECT_EQ(ReadLevels({"--quantiles=0.5,0.999"}).status().message(),
            "--quantiles=0.5,0.999 has the level 0.999; 0.005 .. 0.995 expected");
  EXPECT_EQ(ReadLevels({"--level=100"}).status().message(), "--level=100 has an interval of 100 %; 1 .. 99 expected");
  EXPECT_EQ(ReadLevels({"--quantiles=half"}).status().message(), "--quantiles=half has \"half\", which is no number");
}

}  // namespace
}  // namespace aaren::cli
