#include "model/season/profile.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

namespace aaren::season {
namespace {

class ProfileTest : public testing::Test {
 protected:
  void SetUp() override { profile_.Reset(); }

  void ChooseOften(uint16_t season, int probes) {
    for (int i = 0; i < probes; ++i) profile_.Choose(season);
  }

  Profile profile_;
};

TEST_F(ProfileTest, TheFirstSeasonIsDueAtOnce) {
  EXPECT_FALSE(profile_.IsDue());
  profile_.Choose(24);
  EXPECT_TRUE(profile_.IsDue());
  EXPECT_EQ(profile_.candidate, 24);
}

TEST_F(ProfileTest, AnotherSeasonIsDueOnceChosenThirtyTimesRunning) {
  profile_.Reset(24);
  ChooseOften(7, 29);
  EXPECT_FALSE(profile_.IsDue());
  profile_.Choose(24);
  ChooseOften(7, 29);
  EXPECT_FALSE(profile_.IsDue());
  profile_.Choose(7);
  EXPECT_TRUE(profile_.IsDue());
}

TEST_F(ProfileTest, NoSeasonReplacesASeasonLikewise) {
  profile_.Reset(24);
  ChooseOften(0, 30);
  EXPECT_TRUE(profile_.IsDue());
  EXPECT_EQ(profile_.candidate, 0);
}

TEST_F(ProfileTest, ASeasonBeyondThePhasesChangesNothing) {
  ChooseOften(337, 40);
  EXPECT_FALSE(profile_.IsDue());
  profile_.Reset(24);
  ChooseOften(337, 40);
  EXPECT_FALSE(profile_.IsDue());
}

TEST_F(ProfileTest, OffsetsAreMeansOverTheSeasons) {
  profile_.Reset(4);
  for (uint64_t seq = 0; seq < 4000; ++seq) {
    const float noise = seq / 4 % 2 == 0 ? 1 : -1;
    profile_.Learn(seq, 100.0f + 10.0f * static_cast<float>(seq % 4) + noise);
  }
  EXPECT_NEAR(profile_.level, 115, 1.5);
  for (uint64_t phase = 0; phase < 4; ++phase) {
    EXPECT_NEAR(profile_.level + profile_.At(4000 + phase), 100.0f + 10.0f * static_cast<float>(phase), 1.5) << phase;
  }
}

TEST_F(ProfileTest, AMissingValueTeachesNothing) {
  profile_.Reset(4);
  profile_.Learn(0, 3);
  const Profile before = profile_;
  profile_.Learn(1, NAN);
  EXPECT_EQ(profile_.values, before.values);
  EXPECT_EQ(profile_.level, before.level);
  EXPECT_EQ(profile_.At(1), 0);
}

TEST_F(ProfileTest, AMovedOriginMovesTheLevelAlone) {
  profile_.Reset(4);
  for (uint64_t seq = 0; seq < 40; ++seq) profile_.Learn(seq, static_cast<float>(seq % 4));
  const Profile before = profile_;
  profile_.Shift(10);
  EXPECT_EQ(profile_.level, before.level - 10);
  EXPECT_EQ(profile_.At(3), before.At(3));
}

TEST_F(ProfileTest, AnOriginThatMovesBeforeTheFirstValueLeavesASoundProfile) {
  profile_.Shift(100);
  EXPECT_TRUE(profile_.Check(48).ok()) << profile_.Check(48);
}

TEST_F(ProfileTest, ChecksRefuseWhatNoSeriesLeaves) {
  profile_.Reset(24);
  for (uint64_t seq = 0; seq < 100; ++seq) profile_.Learn(seq, static_cast<float>(seq % 24));
  EXPECT_TRUE(profile_.Check(100).ok());
  EXPECT_TRUE(absl::IsDataLoss(profile_.Check(99)));  // fewer tokens than values
  for (void (*const damage)(Profile&) : {
           +[](Profile& profile) { profile.season = 3; },
           +[](Profile& profile) { profile.run = 31; },
           +[](Profile& profile) { profile.behind = 1; },
           +[](Profile& profile) { profile.level = NAN; },
           +[](Profile& profile) { profile.offset[2] = INFINITY; },
           +[](Profile& profile) { profile.offset[30] = 1; },
           +[](Profile& profile) { profile.seasons[2] = 21; },
           +[](Profile& profile) { profile.seasons[24] = 1; },
       }) {
    Profile damaged = profile_;
    damage(damaged);
    EXPECT_TRUE(absl::IsDataLoss(damaged.Check(100)));
  }
}

}  // namespace
}  // namespace aaren::season
