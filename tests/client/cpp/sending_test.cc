// Tokens on their way to the server: merging, waiting, and the delivered_seq told.

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "aaren/client/client.h"
#include "tests/client/cpp/recorder.h"
#include "tests/client/fake_server.h"

namespace aaren::client {
namespace {

TEST(SendingTest, MergesWhatWaitsIntoFewMessages) {
  FakeServer server;
  Client client(FastOptions(server.target()));
  Recorder recorder;
  auto session = client.Open({.id = "a"}, recorder);
  ASSERT_TRUE((*session)->WaitOpened().ok());
  server.Pause(true);
  for (uint64_t seq = 0; seq < 500; ++seq) {
    const float value = Value(seq);
    ASSERT_TRUE((*session)->Send(seq, {.values = {&value, 1}}).ok());
  }
  server.Pause(false);
  ASSERT_TRUE(FeedAndClose(**session, 500).ok());
  EXPECT_EQ(recorder.sums(), Sums(0, 500));
  EXPECT_LT(server.messages(), 100);
  EXPECT_EQ(server.violations(), 0);
}

TEST(SendingTest, TrySendSaysSoWhileTheWindowIsFull) {
  FakeServer server;
  Client client(FastOptions(server.target()));
  Recorder recorder;
  auto session = client.Open({.id = "a", .window = 4}, recorder);
  ASSERT_TRUE((*session)->WaitOpened().ok());
  server.Pause(true);
  const float value = 1;
  for (uint64_t seq = 0; seq < 4; ++seq) {
    EXPECT_EQ(*(*session)->TrySend(seq, {.values = {&value, 1}}), Admission::kTaken);
  }
  EXPECT_EQ(*(*session)->TrySend(4, {.values = {&value, 1}}), Admission::kFull);
  server.Pause(false);
  ASSERT_TRUE((*session)->Flush().ok());
  EXPECT_EQ(*(*session)->TrySend(4, {.values = {&value, 1}}), Admission::kTaken);
}

TEST(SendingTest, SendWaitsForRoomInTheWindow) {
  FakeServer server;
  Client client(FastOptions(server.target()));
  Recorder recorder;
  auto session = client.Open({.id = "a", .window = 3}, recorder);
  ASSERT_TRUE((*session)->WaitOpened().ok());
  server.Pause(true);
  std::atomic<uint64_t> taken = 0;
  std::thread application([&] {
    for (uint64_t seq = 0; seq < 10; ++seq) {
      const float value = Value(seq);
      ASSERT_TRUE((*session)->Send(seq, {.values = {&value, 1}}).ok());
      taken = seq + 1;
    }
  });
  while (taken < 3) std::this_thread::yield();
  EXPECT_EQ((*session)->next_seq(), 3u);
  server.Pause(false);
  application.join();
  ASSERT_TRUE((*session)->Flush().ok());
  EXPECT_EQ(recorder.seqs(), Seqs(0, 10));
}

TEST(SendingTest, NeverExceedsTheServersInFlightLimit) {
  FakeServer::Options options;
  options.limits.set_in_flight_tokens(16);
  options.limits.set_tokens_per_item(5);
  FakeServer server(options);
  Client client(FastOptions(server.target()));
  Recorder recorder;
  auto session = client.Open({.id = "a"}, recorder);
  ASSERT_TRUE((*session)->WaitOpened().ok());
  ASSERT_TRUE(FeedAndClose(**session, 300, 40).ok());
  EXPECT_EQ(server.violations(), 0);
  EXPECT_EQ(recorder.sums(), Sums(0, 300));
}

TEST(SendingTest, StaysWithinTheServersMessageSize) {
  FakeServer::Options options;
  options.limits.set_message_bytes(700);
  FakeServer server(options);
  Client client(FastOptions(server.target()));
  Recorder recorder;
  auto session = client.Open({.id = "a"}, recorder);
  ASSERT_TRUE((*session)->WaitOpened().ok());
  ASSERT_TRUE(FeedAndClose(**session, 1000, 1000).ok());
  EXPECT_EQ(server.violations(), 0);
  EXPECT_EQ(recorder.sums(), Sums(0, 1000));
}

TEST(SendingTest, TellsTheServerOnlyWhatTheApplicationSaysIsDelivered) {
  FakeServer server;
  Client client(FastOptions(server.target()));
  Recorder recorder;
  auto session = client.Open({.id = "a", .delivery = Delivery::kManual}, recorder);
  ASSERT_TRUE((*session)->WaitOpened().ok());
  ASSERT_TRUE(Feed(**session, 10).ok());
  (*session)->Delivered(6);
  ASSERT_TRUE(Feed(**session, 11).ok());
  EXPECT_EQ(server.delivered("a"), 6u);
}

TEST(SendingTest, DeliveryCountsOverTokensWithoutReplies) {
  FakeServer server;
  Client client(FastOptions(server.target()));
  Recorder recorder;
  SessionOptions options{.id = "a", .delivery = Delivery::kManual};
  options.output.every = 10;
  auto session = client.Open(options, recorder);
  ASSERT_TRUE((*session)->WaitOpened().ok());
  ASSERT_TRUE(Feed(**session, 20).ok());
  EXPECT_EQ(recorder.seqs(), Seqs(0, 20, 10));
  EXPECT_EQ(recorder.sums(), Sums(0, 20, 10));
  (*session)->Delivered(11);
  ASSERT_TRUE(Feed(**session, 21).ok());
  EXPECT_EQ(server.delivered("a"), 20u);
}

TEST(SendingTest, SilentTokensAreFoldedAndAdvanceDelivery) {
  FakeServer server;
  Client client(FastOptions(server.target()));
  Recorder recorder;
  auto session = client.Open({.id = "a", .delivery = Delivery::kManual}, recorder);
  ASSERT_TRUE((*session)->WaitOpened().ok());
  std::vector<float> past;
  for (uint64_t seq = 0; seq < 50; ++seq) past.push_back(Value(seq));
  ASSERT_TRUE((*session)->Send(0, {.values = past, .silent = true}).ok());
  ASSERT_TRUE((*session)->Flush().ok());
  ASSERT_TRUE(FeedAndClose(**session, 60).ok());
  EXPECT_EQ(recorder.seqs(), Seqs(50, 60));
  EXPECT_EQ(recorder.sums(), Sums(50, 60));
  EXPECT_EQ(server.delivered("a"), 50u);
}

TEST(SendingTest, PassesTimesThrough) {
  FakeServer server;
  Client client(FastOptions(server.target()));
  Recorder recorder;
  auto session = client.Open({.id = "a"}, recorder);
  ASSERT_TRUE((*session)->WaitOpened().ok());
  const float value = 1;
  const int64_t time = 1700000000123456789;
  ASSERT_TRUE((*session)->Send(0, {.values = {&value, 1}, .times_ns = {&time, 1}}).ok());
  ASSERT_TRUE((*session)->Flush().ok());
  EXPECT_EQ(recorder.time_ns(), time);
}

}  // namespace
}  // namespace aaren::client
