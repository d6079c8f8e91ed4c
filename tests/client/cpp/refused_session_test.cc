// Refusals by the server: the client tries again where the server says when, and else ends the session with the
// server's words.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "aaren/client/client.h"
#include "aaren/client/status.h"
#include "tests/client/cpp/recorder.h"
#include "tests/client/fake_server.h"

namespace aaren::client {
namespace {

using ::testing::HasSubstr;

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

}  // namespace
}  // namespace aaren::client
