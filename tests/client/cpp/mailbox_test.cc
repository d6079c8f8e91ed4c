#include "client/cpp/stream/mailbox.h"

#include <gtest/gtest.h>

#include <thread>

#include "absl/time/time.h"

namespace aaren::client {
namespace {

TEST(MailboxTest, TheEventOfAMailIsInTheQueueAtOnce) {
  for (int times = 0; times < 20; ++times) {
    Mailbox mailbox;
    mailbox.Stop();  // rings as mail does, whether the thread listens or not
    void* tag;
    bool ok;
    ASSERT_EQ(mailbox.queue().AsyncNext(&tag, &ok, gpr_inf_past(GPR_CLOCK_MONOTONIC)),
              grpc::CompletionQueue::GOT_EVENT);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(tag), Mailbox::kMail);
  }
}

TEST(MailboxTest, EveryMailEndsASleepWithoutALimit) {
  Mailbox mailbox;
  for (int mails = 0; mails < 1000; ++mails) {
    std::thread sender([&] { mailbox.Enqueue(nullptr); });
    do {
      mailbox.Next(Mailbox::Heed::kEventsAndMail, absl::InfiniteDuration());
    } while (mailbox.Take().arrivals.empty());
    sender.join();
  }
}

}  // namespace
}  // namespace aaren::client
