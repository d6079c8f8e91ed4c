#include "server/net/rpc/event_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <vector>

#include "grpcpp/alarm.h"
#include "grpcpp/server_builder.h"
#include "tests/server/sessions/shard/world/world.h"

namespace aaren::rpc {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Waiting events, and a list of handled events.
class EventQueueTest : public testing::Test {
 protected:
  class Noted final : public Event {
   public:
    Noted(EventQueueTest& test, std::string name, Turn turn) : Event(turn), test_(test), name_(std::move(name)) {}
    void Done(bool) override {
      test_.handled_.push_back(name_);
      test_.clock_.Advance(test_.takes_);
    }

   private:
    EventQueueTest& test_;
    const std::string name_;
  };

  EventQueueTest() : queue_(builder_.AddCompletionQueue(), clock_) {}
  ~EventQueueTest() override { queue_.Shutdown(); }

  void Come(const std::string& name, Event::Turn turn) {
    alarms_.emplace_back().Set(&queue_.queue(), gpr_inf_past(GPR_CLOCK_MONOTONIC),
                               static_cast<Event*>(&events_.emplace_back(*this, name, turn)));
  }

  shard::TestClock clock_;
  absl::Duration takes_;
  std::vector<std::string> handled_;
  std::deque<Noted> events_;
  std::deque<grpc::Alarm> alarms_;
  grpc::ServerBuilder builder_;
  EventQueue queue_;
};

TEST_F(EventQueueTest, ThoseOfTheFirstTurnAreHandledBeforeOthersThatCameEarlier) {
  Come("a", Event::Turn::kLater);
  Come("b", Event::Turn::kFirst);
  Come("c", Event::Turn::kLater);
  Come("d", Event::Turn::kFirst);
  EXPECT_TRUE(queue_.Drain(absl::Seconds(1)));
  EXPECT_THAT(handled_, ElementsAre("b", "d", "a", "c"));
}

TEST_F(EventQueueTest, OthersThatTakeLongAreLeftForTheNextDrain) {
  takes_ = absl::Milliseconds(1);
  for (const char* name : {"a", "b", "c"}) Come(name, Event::Turn::kLater);
  EXPECT_TRUE(queue_.Drain(absl::Milliseconds(2)));
  EXPECT_THAT(handled_, ElementsAre("a", "b"));
  Come("d", Event::Turn::kFirst);
  EXPECT_TRUE(queue_.Drain(absl::Milliseconds(2)));
  EXPECT_THAT(handled_, ElementsAre("a", "b", "d", "c"));
}

TEST_F(EventQueueTest, AWakeHasRungAtItsReturn) {
  queue_.Sleep(absl::ZeroDuration(), [this] {
    queue_.Wake();
    return true;
  });
  EXPECT_FALSE(queue_.quiet());
  EXPECT_TRUE(queue_.Drain(absl::Seconds(1)));
  EXPECT_TRUE(queue_.quiet());
}

TEST_F(EventQueueTest, WithoutEventsNothingIsHandled) {
  EXPECT_FALSE(queue_.Drain(absl::Seconds(1)));
  EXPECT_THAT(handled_, IsEmpty());
}

TEST_F(EventQueueTest, ShutdownHandlesThoseThatWereLeft) {
  takes_ = absl::Milliseconds(1);
  for (const char* name : {"a", "b", "c"}) Come(name, Event::Turn::kLater);
  EXPECT_TRUE(queue_.Drain(absl::Milliseconds(1)));
  queue_.Shutdown();
  EXPECT_THAT(handled_, ElementsAre("a", "b", "c"));
}

}  // namespace
}  // namespace aaren::rpc
