#include "server/net/rpc/leaving.h"

#include <gtest/gtest.h>

namespace aaren::rpc {
namespace {

using Act = Leaving::Act;
using Signs = Leaving::Signs;

const absl::Time kStart = absl::FromUnixSeconds(1000);
constexpr absl::Duration kGrace = absl::Seconds(20);
constexpr Signs kBusy{.stepped = true, .tokens_wait = true, .saving = true, .has_streams = true};
constexpr Signs kTokensWait{.stepped = false, .tokens_wait = true, .saving = false, .has_streams = true};
constexpr Signs kSaves{.stepped = false, .tokens_wait = false, .saving = true, .has_streams = true};
constexpr Signs kIdle{.stepped = false, .tokens_wait = false, .saving = false, .has_streams = true};
constexpr Signs kNobody{.stepped = false, .tokens_wait = false, .saving = false, .has_streams = false};

class LeavingTest : public testing::Test {
 protected:
  LeavingTest() { EXPECT_EQ(leaving_.Begin(kGrace, kStart), absl::Seconds(2)); }

  Act After(double seconds, const Signs& signs) { return leaving_.Next(signs, kStart + absl::Seconds(seconds)); }

  // Expects saving to begin two seconds after the start.
  void Save() {
    ASSERT_EQ(After(2, kIdle), Act::kStopReading);
    ASSERT_EQ(After(2, kIdle), Act::kSaveAll);
  }

  Leaving leaving_;
};

TEST_F(LeavingTest, StreamsAreServedOnForAMoment) {
  EXPECT_EQ(After(1.9, kIdle), Act::kNothing);
  EXPECT_EQ(After(2, kIdle), Act::kStopReading);
}

TEST_F(LeavingTest, WithoutStreamsNothingIsWaitedFor) {
  EXPECT_EQ(After(0, kNobody), Act::kStopReading);
  EXPECT_EQ(After(0, kNobody), Act::kSaveAll);
  EXPECT_EQ(After(0, kNobody), Act::kEndStreams);
  EXPECT_EQ(After(0, kNobody), Act::kTellClosed);
  EXPECT_EQ(After(0, kNobody), Act::kNothing);
  EXPECT_TRUE(leaving_.all_saved());
}

TEST_F(LeavingTest, TakenTokensAreAnsweredFirst) {
  ASSERT_EQ(After(2, kBusy), Act::kStopReading);
  EXPECT_EQ(After(2.1, kBusy), Act::kNothing);
  EXPECT_EQ(After(2.12, kTokensWait), Act::kNothing);
  EXPECT_EQ(After(2.13, kIdle), Act::kSaveAll);
}

TEST_F(LeavingTest, TokensOfAClientThatDoesNotReadAreNotWaitedFor) {
  ASSERT_EQ(After(2, kBusy), Act::kStopReading);
  ASSERT_EQ(After(3, kBusy), Act::kNothing);
  EXPECT_EQ(After(3.04, kTokensWait), Act::kNothing);
  EXPECT_EQ(After(3.06, kTokensWait), Act::kSaveAll);
}

TEST_F(LeavingTest, AtHalfOfTheTimeSavesComeFirst) {
  ASSERT_EQ(After(2, kBusy), Act::kStopReading);
  EXPECT_EQ(After(9.9, kBusy), Act::kNothing);
  EXPECT_EQ(After(10, kBusy), Act::kSaveAll);
}

TEST_F(LeavingTest, StreamsEndOnceEverySessionIsSaved) {
  Save();
  EXPECT_EQ(After(5, kSaves), Act::kNothing);
  EXPECT_EQ(After(6, kIdle), Act::kEndStreams);
  EXPECT_TRUE(leaving_.all_saved());
}

TEST_F(LeavingTest, TellsThatTheTimeWasOverBeforeAllWereSaved) {
  Save();
  EXPECT_EQ(After(17.9, kSaves), Act::kNothing);
  EXPECT_EQ(After(18, kSaves), Act::kEndStreams);
  EXPECT_FALSE(leaving_.all_saved());
}

TEST_F(LeavingTest, ClientsThatDoNotReadAreCutOffAndAtLastTheirConnectionsEnd) {
  Save();
  ASSERT_EQ(After(3, kIdle), Act::kEndStreams);
  EXPECT_EQ(After(17.9, kIdle), Act::kNothing);
  EXPECT_EQ(After(18, kIdle), Act::kCutOffStreams);
  EXPECT_EQ(After(19, kIdle), Act::kEndConnections);
  EXPECT_EQ(After(19.1, kIdle), Act::kCutOffStreams);
  EXPECT_EQ(After(19.2, kNobody), Act::kTellClosed);
}

}  // namespace
}  // namespace aaren::rpc
