// Sessions after their streams break or their server goes away: each token is folded once and answered once.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <thread>
#include <vector>

#include "aaren/client/client.h"
#include "tests/client/cpp/recorder.h"
#include "tests/client/fake_server.h"

namespace aaren::client {
namespace {

using ::testing::Ge;

TEST(RecoveryTest, CutsAtManyPointsLoseAndRepeatNothing) {
  FakeServer server;
  std::set<int> cuts;
  for (int message = 3; message < 400; message += 4 - message % 2) cuts.insert(message);
  ASSERT_GE(cuts.size(), 100u);
  server.CutAt(cuts);
  Client client(FastOptions(server.target()));
  Recorder recorder;
  auto session = client.Open({.id = "a"}, recorder);
  ASSERT_TRUE((*session)->WaitOpened().ok());
  ASSERT_TRUE(FeedOneByOne(**session, 400).ok());
  ASSERT_TRUE((*session)->Close().ok());
  EXPECT_EQ(recorder.seqs(), Seqs(0, 400));
  EXPECT_EQ(recorder.sums(), Sums(0, 400));
  EXPECT_THAT(recorder.disconnects(), Ge(100));
  EXPECT_TRUE(recorder.rewinds().empty());
  EXPECT_EQ(server.duplicates(), 0);
}

TEST(RecoveryTest, CutsOfAPipelinedStreamLoseAndRepeatNothing) {
  FakeServer server;
  Client client(FastOptions(server.target()));
  for (int cut = 1; cut <= 12; ++cut) {
    server.CutAt({cut, cut + 3});
    Recorder recorder;
    auto session = client.Open({.id = "s" + std::to_string(cut)}, recorder);
    ASSERT_TRUE((*session)->WaitOpened().ok());
    ASSERT_TRUE(FeedAndClose(**session, 2000, 3).ok());
    EXPECT_EQ(recorder.seqs(), Seqs(0, 2000));
    EXPECT_EQ(recorder.sums(), Sums(0, 2000));
  }
}

// A token's covariates are the token's value plus one, and 10 is known of both steps ahead.
TEST(RecoveryTest, CutsLoseAndRepeatNoCovariates) {
  FakeServer server;
  server.CutAt({2, 3, 5, 8, 13, 21});
  Client client(FastOptions(server.target()));
  Recorder recorder;
  auto session = client.Open({.id = "a", .covariates = {.past = 1, .future = 1}}, recorder);
  ASSERT_TRUE((*session)->WaitOpened().ok());
  EXPECT_EQ(server.covariates("a").past(), 1u);
  double sum = 0;
  std::vector<float> sums;
  for (uint64_t seq = 0; seq < 200; ++seq) {
    const float value = Value(seq);
    ASSERT_TRUE((*session)
                    ->Send(seq, {.values = {value}, .future_values = {10, 10}, .covariates = {value + 1, value + 1}})
                    .ok());
    sums.push_back(static_cast<float>(sum += 3 * value + 2));
  }
  ASSERT_TRUE((*session)->Close().ok());
  EXPECT_EQ(recorder.sums(), sums);
  EXPECT_EQ(recorder.last(), 199 + 20);
}

// A server that reads the Open of a broken stream late must know the Open as overtaken.
TEST(RecoveryTest, OpensAreCountedAsOneWritersOverAllStreams) {
  FakeServer server;
  Client client(FastOptions(server.target()));
  Recorder recorder;
  auto session = client.Open({.id = "a"}, recorder);
  ASSERT_TRUE((*session)->WaitOpened().ok());
  server.CutAt({2, 4});
  ASSERT_TRUE(FeedOneByOne(**session, 20).ok());
  const auto attempts = server.attempts();
  ASSERT_EQ(attempts.size(), 3u);
  EXPECT_NE(attempts[0].first, 0u);
  for (size_t i = 1; i < attempts.size(); ++i) {
    EXPECT_EQ(attempts[i].first, attempts[0].first);
    EXPECT_GT(attempts[i].second, attempts[i - 1].second);
  }
}

TEST(RecoveryTest, ClientsAreDifferentWriters) {
  FakeServer server;
  Recorder recorders[2];
  for (Recorder& recorder : recorders) {
    Client client(FastOptions(server.target()));
    auto session = client.Open({.id = "a"}, recorder);
    ASSERT_TRUE((*session)->WaitOpened().ok());
  }
  EXPECT_NE(server.attempts()[0].first, server.attempts()[1].first);
}

// A slow server's first replies should come before a short-lived stream breaks again.
TEST(RecoveryTest, ABrokenStreamIsTakenUpAgainWithFewTokens) {
  FakeServer server;
  Client client(FastOptions(server.target()));
  Recorder recorder;
  auto session = client.Open({.id = "a"}, recorder);
  ASSERT_TRUE((*session)->WaitOpened().ok());
  server.CutAt({4, 8, 12});
  ASSERT_TRUE(FeedAndClose(**session, 2000, 100).ok());
  EXPECT_EQ(recorder.sums(), Sums(0, 2000));
  EXPECT_EQ(server.streams(), 4);
  EXPECT_LE(server.largest_start(), 16);
}

TEST(RecoveryTest, ManualDeliverySurvivesCuts) {
  FakeServer server;
  server.CutAt({2, 5, 9, 14, 20});
  Client client(FastOptions(server.target()));
  Recorder recorder;
  auto session = client.Open({.id = "a", .delivery = Delivery::kManual}, recorder);
  ASSERT_TRUE((*session)->WaitOpened().ok());
  for (uint64_t end = 10; end <= 300; end += 10) {
    ASSERT_TRUE(Feed(**session, end).ok());
    (*session)->Delivered(end - 3);
  }
  EXPECT_EQ(recorder.seqs(), Seqs(0, 300));
  EXPECT_EQ(recorder.sums(), Sums(0, 300));
}

TEST(RecoveryTest, OutlivesAServerThatGoesAwayAndComesBack) {
  FakeServer server;
  Client client(FastOptions(server.target()));
  Recorder recorder;
  auto session = client.Open({.id = "a"}, recorder);
  ASSERT_TRUE((*session)->WaitOpened().ok());
  ASSERT_TRUE(Feed(**session, 50).ok());
  server.Stop();
  std::thread application([&] { EXPECT_TRUE(FeedAndClose(**session, 100).ok()); });
  server.Start();
  application.join();
  EXPECT_EQ(recorder.sums(), Sums(0, 100));
}

TEST(RecoveryTest, AGapThatTheServerSeesIsRepaired) {
  FakeServer server;
  Client client(FastOptions(server.target()));
  Recorder recorder;
  auto session = client.Open({.id = "a"}, recorder);
  ASSERT_TRUE((*session)->WaitOpened().ok());
  ASSERT_TRUE(Feed(**session, 5).ok());
  server.FailNextTokens(11, "a gap");
  ASSERT_TRUE(FeedAndClose(**session, 500).ok());
  EXPECT_EQ(recorder.seqs(), Seqs(0, 500));
  EXPECT_EQ(recorder.sums(), Sums(0, 500));
}

TEST(RecoveryTest, ADrainingServerIsLeftWithEverythingAnswered) {
  FakeServer server;
  Client client(FastOptions(server.target()));
  Recorder recorder;
  auto session = client.Open({.id = "a"}, recorder);
  ASSERT_TRUE((*session)->WaitOpened().ok());
  server.Drain();
  ASSERT_TRUE(FeedAndClose(**session, 300).ok());
  EXPECT_EQ(recorder.seqs(), Seqs(0, 300));
  EXPECT_EQ(recorder.sums(), Sums(0, 300));
  EXPECT_EQ(server.streams(), 2);
}

TEST(RecoveryTest, ADeleteWhoseAnswerWasLostStillSucceeds) {
  FakeServer server;
  Client client(FastOptions(server.target()));
  Recorder recorder;
  auto session = client.Open({.id = "a"}, recorder);
  ASSERT_TRUE((*session)->WaitOpened().ok());
  ASSERT_TRUE(Feed(**session, 20).ok());
  server.LoseNextClosed();
  EXPECT_TRUE((*session)->Delete().ok());
  EXPECT_FALSE(server.exists("a"));
  EXPECT_EQ(server.streams(), 2);
}

}  // namespace
}  // namespace aaren::client
