#include "client/cpp/stream/mailbox.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "absl/time/clock.h"

namespace aaren::client {
namespace {

// A second thread at the queue takes alarms away, as gRPC does that loses them.
TEST(MailboxTest, MailIsSeenThoughItsAlarmIsLost) {
  Mailbox mailbox;
  std::atomic<int> lost = 0;
  std::atomic<bool> done = false;
  std::thread thief([&] {
    while (!done) {
      void* tag;
      bool ok;
      const gpr_timespec soon = gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_millis(1, GPR_TIMESPAN));
      lost += mailbox.queue().AsyncNext(&tag, &ok, soon) == grpc::CompletionQueue::GOT_EVENT;
    }
  });
  int mails = 0;
  for (; lost < 3 && mails < 1000; ++mails) {
    std::thread sender([&] {
      absl::SleepFor(absl::Milliseconds(2));  // the thread then sleeps in Next
      mailbox.Enqueue(nullptr);
    });
    do {
      mailbox.Next(Mailbox::Heed::kEventsAndMail, absl::InfiniteDuration());
    } while (mailbox.Take().arrivals.empty());
    sender.join();
  }
  done = true;
  thief.join();
  EXPECT_GE(lost, 3) << "of " << mails;
}

TEST(MailboxTest, AnAlarmThatRingsLateDoesNotStandForTheNext) {
  Mailbox mailbox;
  for (int mails = 0; mails < 200; ++mails) {
    // Now and then the longest sleep ends just as the mail comes.
    std::thread sender([&] {
      absl::SleepFor(absl::Milliseconds(mails % 50 == 0 ? 100 : 1));
      mailbox.Enqueue(nullptr);
    });
    do {
      mailbox.Next(Mailbox::Heed::kEventsAndMail, absl::InfiniteDuration());
    } while (mailbox.Take().arrivals.empty());
    sender.join();
  }
}

}  // namespace
}  // namespace aaren::client
