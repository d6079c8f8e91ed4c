// The client's sessions after streams break, servers forget, and writers interfere.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "aaren/client/client.h"
#include "aaren/client/status.h"
#include "google/rpc/error_details.pb.h"
#include "tests/client/cpp/recorder.h"
#include "tests/client/fake_server.h"

namespace aaren::client {
namespace {

using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::HasSubstr;

// Sends a token a message: each is answered before the next is sent.
absl::Status FeedOneByOne(Session& session, uint64_t end) {
  for (uint64_t seq = session.next_seq(); seq < end; ++seq) {
    const float value = Value(seq);
    absl::Status status = session.Send(seq, {.values = {&value, 1}});
    if (status.ok()) status = session.Flush();
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

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

// A token's covariates are one more than its value, and 10 is known of both steps ahead.
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

TEST(RecoveryTest, ServerThatKnowsNoCovariatesIsNotBelievedToTakeThem) {
  FakeServer server({.lie = [](v1::ServerMessage& message) {
    for (v1::ServerItem& item : *message.mutable_items()) {
      if (item.has_opened()) item.mutable_opened()->mutable_model()->clear_far_horizon();
    }
  }});
  Client client(FastOptions(server.target()));
  Recorder recorder;
  auto session = client.Open({.id = "a", .covariates = {.past = 1}}, recorder);
  const absl::Status status = (*session)->WaitOpened().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(status.message()), HasSubstr("takes no covariates"));
}

TEST(RecoveryTest, ServerThatKnowsNoProfilesIsNotBelievedToLearnOne) {
  FakeServer server;  // says nothing of tiers
  Client client(FastOptions(server.target()));
  Recorder recorder;
  auto session = client.Open({.id = "a", .profile = true}, recorder);
  const absl::Status status = (*session)->WaitOpened().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(status.message()), HasSubstr("learns no profile"));
}

// A server that reads the Open of a broken stream late must know it as overtaken.
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

TEST(RecoveryTest, AForgottenSessionIsNamedAndFedAgainFromItsFirstToken) {
  FakeServer server;
  Client client(FastOptions(server.target()));
  Recorder recorder;
  recorder.rewindable = true;
  auto session = client.Open({.id = "a"}, recorder);
  ASSERT_TRUE((*session)->WaitOpened().ok());
  ASSERT_TRUE(FeedOneByOne(**session, 50).ok());
  server.Stop();
  server.Forget();
  server.Start();
  ASSERT_TRUE(FeedAndClose(**session, 100).ok());
  EXPECT_EQ(recorder.seqs(), Seqs(0, 100));
  EXPECT_EQ(recorder.sums(), Sums(0, 100));
  EXPECT_THAT(recorder.rewinds(), ElementsAre(0));
  ASSERT_EQ(recorder.losses().size(), 1u);
  EXPECT_TRUE(recorder.losses()[0].session);
}

TEST(RecoveryTest, AForgottenSessionWhoseTokensAreAllKeptNeedsNoRewind) {
  FakeServer server({.save_every = 0});
  Client client(FastOptions(server.target()));
  Recorder recorder;
  auto session = client.Open({.id = "a"}, recorder);
  ASSERT_TRUE((*session)->WaitOpened().ok());
  ASSERT_TRUE(Feed(**session, 50).ok());
  server.Stop();
  server.Forget();
  server.Start();
  ASSERT_TRUE(FeedAndClose(**session, 60).ok());
  EXPECT_EQ(recorder.sums(), Sums(0, 60));
  EXPECT_TRUE(recorder.rewinds().empty());
  EXPECT_EQ(recorder.losses().size(), 1u);
}

TEST(RecoveryTest, ASourceThatCannotGoBackEndsWithDataLossNamingTheRange) {
  FakeServer server;
  Client client(FastOptions(server.target()));
  Recorder recorder;
  auto session = client.Open({.id = "a"}, recorder);
  ASSERT_TRUE((*session)->WaitOpened().ok());
  ASSERT_TRUE(FeedOneByOne(**session, 50).ok());
  server.Stop();
  server.Forget();
  server.Start();
  const absl::Status status = recorder.AwaitEnd();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(status.message(), HasSubstr("session \"a\": the server needs tokens 0 .. 47 again"));
  EXPECT_EQ(recorder.seqs(), Seqs(0, 50));
}

TEST(RecoveryTest, KeepsNoMoreTokensThanAskedTo) {
  FakeServer server({.save_every = 0});
  Client client(FastOptions(server.target()));
  Recorder recorder;
  auto session = client.Open({.id = "a", .retain = 10}, recorder);
  ASSERT_TRUE((*session)->WaitOpened().ok());
  ASSERT_TRUE(FeedOneByOne(**session, 50).ok());
  server.Stop();
  server.Forget();
  server.Start();
  EXPECT_THAT(recorder.AwaitEnd().message(), HasSubstr("tokens 0 .. 39 again"));
}

TEST(RecoveryTest, AResumedSessionThatVanishedIsNamed) {
  FakeServer server;
  Client client(FastOptions(server.target()));
  server.Replace("a", 0);
  Recorder recorder;
  auto session = client.Open({.id = "a", .mode = OpenMode::kResume}, recorder);
  ASSERT_TRUE((*session)->WaitOpened().ok());
  ASSERT_TRUE(Feed(**session, 5).ok());
  server.Stop();
  server.Forget();
  server.Start();
  EXPECT_EQ(recorder.AwaitEnd().code(), absl::StatusCode::kNotFound);
  ASSERT_EQ(recorder.losses().size(), 1u);
  EXPECT_TRUE(recorder.losses()[0].session);
}

TEST(RecoveryTest, ASessionUnknownToTheServerIsNamedWhenRepliesWereDelivered) {
  FakeServer server;
  Client client(FastOptions(server.target()));
  Recorder recorder;
  auto session = client.Open({.id = "a", .delivered_seq = 30}, recorder);
  EXPECT_EQ((*session)->WaitOpened()->next_seq, 0u);
  ASSERT_EQ(recorder.losses().size(), 1u);
  EXPECT_TRUE(recorder.losses()[0].session);
  ASSERT_TRUE(FeedAndClose(**session, 40).ok());
  EXPECT_EQ(recorder.seqs(), Seqs(30, 40));
  EXPECT_EQ(recorder.sums(), Sums(30, 40));
}

TEST(RecoveryTest, AnotherWriterEndsTheSessionForGood) {
  FakeServer server;
  Client client(FastOptions(server.target()));
  Recorder recorder;
  auto session = client.Open({.id = "a"}, recorder);
  ASSERT_TRUE((*session)->WaitOpened().ok());
  ASSERT_TRUE(Feed(**session, 5).ok());
  server.Steal("a");
  EXPECT_EQ(Feed(**session, 6).code(), absl::StatusCode::kAborted);
  EXPECT_EQ(recorder.AwaitEnd().code(), absl::StatusCode::kAborted);
  EXPECT_EQ(recorder.opened().size(), 1u);
  EXPECT_EQ(server.next_seq("a"), 5u);
}

TEST(RecoveryTest, AnotherIncarnationWithTokensIsNotContinued) {
  FakeServer server;
  Client client(FastOptions(server.target()));
  Recorder recorder;
  auto session = client.Open({.id = "a"}, recorder);
  ASSERT_TRUE((*session)->WaitOpened().ok());
  ASSERT_TRUE(Feed(**session, 5).ok());
  server.Stop();
  server.Replace("a", 3);
  server.Start();
  const absl::Status status = recorder.AwaitEnd();
  EXPECT_EQ(status.code(), absl::StatusCode::kAborted);
  EXPECT_THAT(status.message(), HasSubstr("was replaced"));
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

TEST(RecoveryTest, TokensThatTheServerGivesBackForWantOfRoomAreSentAgainForAsLongAsItTakes) {
  FakeServer server;
  Client client(FastOptions(server.target()));
  Recorder recorder;
  auto session = client.Open({.id = "a"}, recorder);
  ASSERT_TRUE((*session)->WaitOpened().ok());
  server.FailNextTokens(11, "no room", "SET_ASIDE", 30);
  EXPECT_TRUE(FeedAndClose(**session, 5).ok());
  EXPECT_EQ(recorder.seqs(), Seqs(0, 5));
}

TEST(RecoveryTest, TokensThatTheServerRefusesEndTheSessionWithItsWords) {
  FakeServer server;
  Client client(FastOptions(server.target()));
  Recorder recorder;
  auto session = client.Open({.id = "a"}, recorder);
  ASSERT_TRUE((*session)->WaitOpened().ok());
  server.FailNextTokens(3, "mark 9 of 4");
  const absl::Status status = Feed(**session, 5);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("mark 9 of 4"));
  Recorder other;
  auto next = client.Open({.id = "b"}, other);
  ASSERT_TRUE((*next)->WaitOpened().ok());
  EXPECT_TRUE(FeedAndClose(**next, 5).ok());
  EXPECT_EQ(server.closed(), 2);
}

TEST(RecoveryTest, AnOpenIsTriedAgainWhenTheServerSays) {
  FakeServer server;
  server.FailNextOpen(14, "the store is away", /*retry_ms=*/5);
  Client client(FastOptions(server.target()));
  Recorder recorder;
  auto session = client.Open({.id = "a"}, recorder);
  ASSERT_TRUE((*session)->WaitOpened().ok());
  ASSERT_TRUE(FeedAndClose(**session, 5).ok());
  EXPECT_EQ(recorder.sums(), Sums(0, 5));
}

TEST(RecoveryTest, AFullServerIsAskedAgainWhenItSays) {
  FakeServer server;
  server.FailNextOpen(8, "no slot left", /*retry_ms=*/5, /*opens=*/3);
  Client client(FastOptions(server.target()));
  Recorder recorder;
  auto session = client.Open({.id = "a"}, recorder);
  ASSERT_TRUE((*session)->WaitOpened().ok());
  ASSERT_TRUE(FeedAndClose(**session, 5).ok());
  EXPECT_EQ(recorder.sums(), Sums(0, 5));
  EXPECT_EQ(recorder.waits(), std::vector<absl::Duration>(3, absl::Milliseconds(5)));
}

TEST(RecoveryTest, AServerThatStaysFullEndsTheSessionWithItsWords) {
  FakeServer server;
  server.FailNextOpen(8, "no slot left", /*retry_ms=*/5, /*opens=*/100);
  Client client(FastOptions(server.target()));
  Recorder recorder;
  auto session = client.Open({.id = "a", .open_timeout = absl::Milliseconds(12)}, recorder);
  const absl::Status status = (*session)->WaitOpened().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(status.message(), HasSubstr("no slot left"));
  EXPECT_EQ(RetryDelay(status), absl::Milliseconds(5));
  EXPECT_EQ(recorder.waits().size(), 2u);
}

TEST(RecoveryTest, AServerThatHasNoRoomAndNamesNoTimeIsNotAskedAgain) {
  FakeServer server;
  server.FailNextOpen(8, "too many sessions on this stream", /*retry_ms=*/0);
  Client client(FastOptions(server.target()));
  Recorder recorder;
  auto session = client.Open({.id = "a"}, recorder);
  EXPECT_EQ((*session)->WaitOpened().status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(recorder.waits().empty());
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
