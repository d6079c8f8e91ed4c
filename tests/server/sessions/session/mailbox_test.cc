#include "server/sessions/session/mailbox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "tests/server/sessions/shard/world/world.h"

namespace aaren::session {
namespace {

TEST(MailboxTest, RunsWhatWasPostedInOrder) {
  Mailbox mailbox;
  std::vector<int> ran;
  for (int i = 0; i < 5; ++i) mailbox.Post([&ran, i] { ran.push_back(i); });
  EXPECT_TRUE(mailbox.Drain());
  EXPECT_THAT(ran, ::testing::ElementsAre(0, 1, 2, 3, 4));
  EXPECT_FALSE(mailbox.Drain());
}

TEST(MailboxTest, LeavesWhatItsMessagesPostForTheNextDrain) {
  Mailbox mailbox;
  int ran = 0;
  mailbox.Post([&] { mailbox.Post([&ran] { ++ran; }); });
  mailbox.Drain();
  EXPECT_EQ(ran, 0);
  mailbox.Drain();
  EXPECT_EQ(ran, 1);
}

TEST(MailboxTest, RunsForSoLongAndLeavesTheRestForTheNextDrain) {
  Mailbox mailbox;
  shard::TestClock clock;
  int ran = 0;
  for (int i = 0; i < 5; ++i) {
    mailbox.Post([&] {
      clock.Advance(absl::Microseconds(400));
      ++ran;
    });
  }
  EXPECT_TRUE(mailbox.DrainFor(absl::Milliseconds(1), clock));
  EXPECT_EQ(ran, 3);
  EXPECT_TRUE(mailbox.has_leftovers());
  EXPECT_TRUE(mailbox.DrainFor(absl::ZeroDuration(), clock));
  EXPECT_EQ(ran, 4);
  EXPECT_TRUE(mailbox.DrainFor(absl::Milliseconds(1), clock));
  EXPECT_EQ(ran, 5);
  EXPECT_FALSE(mailbox.DrainFor(absl::Milliseconds(1), clock));
}

TEST(MailboxTest, WakesItsOwnerOncePerBurst) {
  Mailbox mailbox;
  int woken = 0;
  mailbox.SetWaker([&woken] { ++woken; });
  mailbox.Post([] {});
  mailbox.Post([] {});
  EXPECT_EQ(woken, 1);
  mailbox.Drain();
  mailbox.Post([] {});
  EXPECT_EQ(woken, 2);
}

TEST(MailboxTest, LosesNothingFromManyThreads) {
  Mailbox mailbox;
  int ran = 0;
  std::vector<std::thread> posters;
  for (int i = 0; i < 4; ++i) {
    posters.emplace_back([&] {
      for (int j = 0; j < 1000; ++j) mailbox.Post([&ran] { ++ran; });
    });
  }
  while (ran < 4000) mailbox.Drain();
  for (std::thread& poster : posters) poster.join();
  EXPECT_EQ(ran, 4000);
}

}  // namespace
}  // namespace aaren::session
