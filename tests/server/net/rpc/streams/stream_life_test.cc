#include "server/net/rpc/streams/stream_life.h"

#include <gtest/gtest.h>

namespace aaren::rpc {
namespace {

using Verdict = StreamLife::Verdict;

const absl::Time kJoined = absl::FromUnixSeconds(1000);
const StreamLimits kLimits{.hello = absl::Seconds(10), .unread = absl::Seconds(60), .unused = absl::Minutes(10)};

Verdict LookAfter(StreamLife& life, absl::Duration passed, const StreamLife::Signs& signs = {}) {
  return life.Look(signs, kLimits, kJoined + passed);
}

StreamLife::Signs Writing(bool in_the_way = false) {
  return {.in_use = true, .writing = true, .in_the_way = in_the_way, .writing_since = kJoined};
}

class StreamLifeTest : public testing::Test {
 protected:
  StreamLifeTest() { life_.Begin(kJoined); }

  StreamLife life_;
};

TEST_F(StreamLifeTest, HelloMustComeInTime) {
  EXPECT_EQ(LookAfter(life_, absl::Seconds(10)), Verdict::kStays);
  EXPECT_EQ(LookAfter(life_, absl::Seconds(11)), Verdict::kNoHello);
}

TEST_F(StreamLifeTest, ASessionMustBeOpenInTime) {
  life_.Greet(kJoined + absl::Seconds(5));
  EXPECT_EQ(LookAfter(life_, absl::Seconds(605)), Verdict::kStays);
  EXPECT_EQ(LookAfter(life_, absl::Seconds(606)), Verdict::kNothingIsOpen);
}

TEST_F(StreamLifeTest, TimeCountsFromTheLastUse) {
  life_.Greet(kJoined);
  EXPECT_EQ(LookAfter(life_, absl::Hours(1), {.in_use = true}), Verdict::kStays);
  EXPECT_EQ(LookAfter(life_, absl::Hours(1) + absl::Minutes(10)), Verdict::kStays);
  EXPECT_EQ(LookAfter(life_, absl::Hours(1) + absl::Minutes(11)), Verdict::kNothingIsOpen);
}

TEST_F(StreamLifeTest, NoLimitOfZeroEndsAStream) {
  StreamLimits limits = kLimits;
  limits.hello = absl::ZeroDuration();
  EXPECT_EQ(life_.Look({}, limits, kJoined + absl::Hours(1)), Verdict::kStays);
}

TEST_F(StreamLifeTest, AClientMustReadInTime) {
  life_.Greet(kJoined);
  EXPECT_EQ(LookAfter(life_, absl::Seconds(60), Writing()), Verdict::kStays);
  EXPECT_EQ(LookAfter(life_, absl::Seconds(61), Writing()), Verdict::kUnread);
}

TEST_F(StreamLifeTest, AClientInTheWayOfOthersHasASecond) {
  life_.Greet(kJoined);
  EXPECT_EQ(LookAfter(life_, absl::Seconds(1), Writing(true)), Verdict::kStays);
  EXPECT_EQ(LookAfter(life_, absl::Milliseconds(1001), Writing(true)), Verdict::kUnread);
}

TEST_F(StreamLifeTest, AnEndingStreamStillWaitsForItsClientToRead) {
  life_.End(grpc::Status::OK);
  EXPECT_EQ(LookAfter(life_, absl::Seconds(30)), Verdict::kStays);
  EXPECT_EQ(LookAfter(life_, absl::Seconds(61), Writing()), Verdict::kUnread);
}

TEST_F(StreamLifeTest, AStruckOutCallerHasASecondForTheStatus) {
  life_.StrikeOut(kJoined);
  EXPECT_EQ(LookAfter(life_, absl::Milliseconds(999), Writing(true)), Verdict::kStays);
  EXPECT_EQ(LookAfter(life_, absl::Seconds(1), Writing(true)), Verdict::kNoLastWord);
}

TEST_F(StreamLifeTest, TheFirstEndCounts) {
  EXPECT_TRUE(life_.End({grpc::StatusCode::UNAVAILABLE, "first"}));
  EXPECT_FALSE(life_.End(grpc::Status::OK));
  EXPECT_EQ(life_.last_word().error_message(), "first");
}

TEST_F(StreamLifeTest, AFinishingStreamTakesNoItemsAndHasNoLimits) {
  life_.Finish();
  EXPECT_FALSE(life_.takes_items());
  EXPECT_EQ(LookAfter(life_, absl::Hours(1), Writing()), Verdict::kStays);
}

TEST_F(StreamLifeTest, IsCancelledOnce) {
  EXPECT_TRUE(life_.Cancel());
  EXPECT_FALSE(life_.Cancel());
}

}  // namespace
}  // namespace aaren::rpc
