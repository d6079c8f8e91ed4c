#include "server/net/rpc/baton.h"

#include <gtest/gtest.h>

#include <thread>

#include "absl/synchronization/notification.h"
#include "tests/server/sessions/shard/world/world.h"

namespace aaren::rpc {
namespace {

class BatonTest : public testing::Test {
 protected:
  BatonTest() { baton_.Take(0); }
  ~BatonTest() override { baton_.Give(); }

  shard::TestClock clock_;
  Baton baton_{clock_};
};

TEST_F(BatonTest, AnotherMayTakeItWhileItIsLent) {
  bool taken = false;
  baton_.Lend(absl::ZeroDuration(), [&] {
    std::thread([&] {
      baton_.Take(1);
      taken = true;
      baton_.Give();
    }).join();
  });
  EXPECT_TRUE(taken);
}

TEST_F(BatonTest, IsTakenBackOnlyWhenTheOtherGivesIt) {
  absl::Notification has_it;
  bool gave = false;
  std::thread other;
  baton_.Lend(absl::ZeroDuration(), [&] {
    other = std::thread([&] {
      baton_.Take(1);
      has_it.Notify();
      std::this_thread::yield();
      gave = true;
      baton_.Give();
    });
    has_it.WaitForNotification();
  });
  EXPECT_TRUE(gave);
  other.join();
}

TEST_F(BatonTest, AHandIsKeptFromTwoMillisecondsOn) {
  EXPECT_EQ(baton_.kept(), 0u);
  baton_.Lend(absl::ZeroDuration(), [&] {
    clock_.Advance(absl::Microseconds(1999));
    EXPECT_EQ(baton_.kept(), 0u);
    clock_.Advance(absl::Microseconds(1));
    EXPECT_EQ(baton_.kept(), 1u);
  });
  EXPECT_EQ(baton_.kept(), 0u);
}

TEST_F(BatonTest, AHandThatMayWaitIsNotKeptUntilItsTimeIsOver) {
  baton_.Lend(absl::Milliseconds(20), [&] {
    clock_.Advance(absl::Milliseconds(21));
    EXPECT_EQ(baton_.kept(), 0u);
    clock_.Advance(absl::Milliseconds(1));
    EXPECT_EQ(baton_.kept(), 1u);
  });
}

TEST_F(BatonTest, HandsAreKeptInARow) {
  baton_.Lend(absl::ZeroDuration(), [&] {
    clock_.Advance(absl::Milliseconds(5));
    baton_.Take(1);
    baton_.Lend(absl::ZeroDuration(), [&] {
      EXPECT_EQ(baton_.kept(), 1u);
      clock_.Advance(absl::Milliseconds(5));
      EXPECT_EQ(baton_.kept(), 2u);
    });
    baton_.Give();
  });
}

}  // namespace
}  // namespace aaren::rpc
