// Sessions that the server has forgotten: the loss is named, and the source goes back or the session ends.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "aaren/client/client.h"
#include "tests/client/cpp/recorder.h"
#include "tests/client/fake_server.h"

namespace aaren::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

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

}  // namespace
}  // namespace aaren::client
