#include "server/sessions/shard/arrival/intake.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/server/sessions/shard/world/bare_parts.h"

namespace aaren::shard {
namespace {

using Event = FakePeer::Event;

class IntakeTest : public testing::Test {
 protected:
  BareParts parts_;
  FakePeer peer_;
  session::Session& session_ = parts_.Attach(peer_, 0, "a");
};

TEST_F(IntakeTest, TheNextTokensWaitInTheFlow) {
  parts_.Send(session_, 0, 3);
  parts_.Send(session_, 3, 2);
  EXPECT_EQ(session_.flow->tokens, 5u);
  EXPECT_TRUE(parts_.intake.TakeNewTokens());
}

TEST_F(IntakeTest, DuplicatesAreAcknowledgedAndNewTokensBehindThemTaken) {
  session_.point.seq = 4;
  parts_.Send(session_, 0, 4);
  EXPECT_EQ(peer_.Last().kind, Event::kAcked);
  parts_.Send(session_, 2, 4);
  EXPECT_EQ(session_.flow->tokens, 2u);
  EXPECT_EQ(parts_.core.counters.tokens_duplicate.value(), 6u);
}

TEST_F(IntakeTest, AfterAGapItemsAreDroppedUntilOneHasTheExpectedToken) {
  parts_.Send(session_, 2, 1);
  EXPECT_EQ(peer_.Last().refusal.status.code(), absl::StatusCode::kOutOfRange);
  parts_.Send(session_, 3, 1);
  EXPECT_EQ(parts_.core.counters.tokens_dropped.value(), 1u);
  parts_.Send(session_, 0, 1);
  EXPECT_EQ(session_.flow->tokens, 1u);
}

TEST_F(IntakeTest, AnItemWithABadNumberIsRefusedAsAWhole) {
  const std::vector<float> values = {1, std::numeric_limits<float>::infinity()};
  parts_.intake.Accept(session_, BareParts::Item(values, 0, 0));
  EXPECT_EQ(peer_.Last().refusal.status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(session_.flow, nullptr);
}

TEST_F(IntakeTest, ACloseWaitsBehindTokens) {
  parts_.Send(session_, 0, 1);
  parts_.intake.Close(session_, {});
  EXPECT_TRUE(session_.closing);
  (void)parts_.steps.Run();
  EXPECT_EQ(parts_.events.closed.size(), 1u);
}

TEST_F(IntakeTest, ACloseWithNothingBeforeItIsAnsweredAtOnce) {
  parts_.intake.Close(session_, {});
  EXPECT_EQ(peer_.Last().kind, Event::kClosed);
  EXPECT_EQ(session_.stream, nullptr);
}

TEST_F(IntakeTest, TokensForAHandleThatIsNotOpenAreRefused) {
  const std::vector<float> values = Values(0, 2);
  parts_.intake.RefuseUnknown(peer_, BareParts::Item(values, 9, 0));
  EXPECT_EQ(peer_.Last().refusal.status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(parts_.core.counters.tokens_refused.value(), 2u);
}

}  // namespace
}  // namespace aaren::shard
