#include "model/tasks/forecasting/parts/profile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace aaren::forecasting {
namespace {

TEST(ProfileTest, RandomProfilesAreBetweenZeroAndOneAtAnyNumberOfSteps) {
  for (int index = 0; index < 300; ++index) {
    Random random(1, index);
    const int steps = 1 + random.Below(1440);
    const Profile profile = RandomProfile(random, steps);
    ASSERT_EQ(profile.size(), static_cast<size_t>(steps));
    for (const double value : profile) ASSERT_TRUE(value >= 0 && value <= 1 + 1e-12) << index << ": " << value;
  }
}

TEST(ProfileTest, PeakIsHighestWhereItWasPut) {
  const Profile profile = Peaks({{0.25, 0.05, 1}, {0.75, 0.05, 0.5}}, 96);
  EXPECT_EQ(std::max_element(profile.begin(), profile.end()) - profile.begin(), 24);
  EXPECT_EQ(profile[24], 1);
  EXPECT_NEAR(profile[72], 0.5, 1e-9);
}

TEST(ProfileTest, PlateauIsFlatBetweenRiseAndFall) {
  const Profile profile = Plateau(0.25, 0.75, 0.02, 240);
  for (int i = 70; i < 170; ++i) EXPECT_NEAR(profile[i], 1, 1e-3);
  for (int i = 0; i < 50; ++i) EXPECT_NEAR(profile[i], 0, 1e-3);
}

TEST(ProfileTest, WarmthIsLeastAtSunriseAndMostAtNoon) {
  const Profile profile = Warmth(0.25, 0.6, 2, 240);
  EXPECT_NEAR(std::min_element(profile.begin(), profile.end()) - profile.begin(), 60, 1);
  EXPECT_NEAR(std::max_element(profile.begin(), profile.end()) - profile.begin(), 144, 1);
}

TEST(ProfileTest, IsReadBetweenItsStepsAndAroundItsEnd) {
  const Profile profile = {0, 1, 0.5, 0.25};
  EXPECT_DOUBLE_EQ(Read(profile, 0.125), 0.5);
  EXPECT_DOUBLE_EQ(Read(profile, 1.25), 1);
  EXPECT_DOUBLE_EQ(Read(profile, -0.125), 0.125);
}

}  // namespace
}  // namespace aaren::forecasting
