// Many sessions of a client.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "aaren/client/client.h"
#include "tests/client/cpp/recorder.h"
#include "tests/client/fake_server.h"

namespace aaren::client {
namespace {

struct Live {
  Recorder recorder;
  std::unique_ptr<Session> session;
};

std::vector<std::unique_ptr<Live>> OpenMany(Client& client, int count) {
  std::vector<std::unique_ptr<Live>> lives;
  for (int i = 0; i < count; ++i) {
    lives.push_back(std::make_unique<Live>());
    lives.back()->recorder.rewindable = true;
    lives.back()->session = *client.Open({.id = "s" + std::to_string(i)}, lives.back()->recorder);
  }
  for (const auto& live : lives) EXPECT_TRUE(live->session->WaitOpened().ok());
  return lives;
}

void SendToAll(const std::vector<std::unique_ptr<Live>>& lives, uint64_t end) {
  for (uint64_t seq = 0; seq < end; ++seq) {
    const float value = Value(seq);
    for (const auto& live : lives) ASSERT_TRUE(live->session->Send(seq, {.values = {&value, 1}}).ok());
  }
}

void ExpectAll(const std::vector<std::unique_ptr<Live>>& lives, uint64_t end) {
  for (const auto& live : lives) {
    EXPECT_EQ(live->recorder.seqs(), Seqs(0, end)) << live->session->id();
    EXPECT_EQ(live->recorder.sums(), Sums(0, end)) << live->session->id();
  }
}

TEST(SessionsTest, ManySessionsShareAStream) {
  FakeServer server;
  Client client(FastOptions(server.target()));
  const auto lives = OpenMany(client, 300);
  SendToAll(lives, 40);
  for (const auto& live : lives) ASSERT_TRUE(live->session->Close().ok());
  ExpectAll(lives, 40);
  EXPECT_EQ(server.streams(), 1);
  EXPECT_EQ(server.closed(), 300);
  EXPECT_LT(server.messages(), 300 * 40 / 4);
}

// Tokens of open sessions would wait behind the Opens of all the rest.
TEST(SessionsTest, FewAreOpenedAtOnce) {
  FakeServer server;
  Client client(FastOptions(server.target()));
  const auto lives = OpenMany(client, 2000);
  SendToAll(lives, 3);
  for (const auto& live : lives) ASSERT_TRUE(live->session->Flush().ok());
  ExpectAll(lives, 3);
  EXPECT_LE(server.largest_opens(), 256);
  server.Stop();
  server.Start();
  const float value = Value(3);
  for (const auto& live : lives) ASSERT_TRUE(live->session->Send(3, {.values = {&value, 1}}).ok());
  for (const auto& live : lives) ASSERT_TRUE(live->session->Flush().ok());
  EXPECT_LE(server.largest_opens(), 256);
  EXPECT_EQ(server.streams(), 2);
}

TEST(SessionsTest, EverySessionOfACutStreamGoesOn) {
  FakeServer server;
  Client client(FastOptions(server.target()));
  const auto lives = OpenMany(client, 100);
  server.CutAt({2, 3, 8, 9, 20, 31});
  SendToAll(lives, 60);
  for (const auto& live : lives) ASSERT_TRUE(live->session->Flush().ok());
  ExpectAll(lives, 60);
}

TEST(SessionsTest, SessionsSpreadOverStreams) {
  FakeServer server;
  ClientOptions options = FastOptions(server.target());
  options.streams = 4;
  Client client(options);
  const auto lives = OpenMany(client, 64);
  SendToAll(lives, 20);
  for (const auto& live : lives) ASSERT_TRUE(live->session->Flush().ok());
  ExpectAll(lives, 20);
  EXPECT_EQ(server.streams(), 4);
}

TEST(SessionsTest, ThreadsMaySendToSessionsOfOneStream) {
  FakeServer server;
  Client client(FastOptions(server.target()));
  const auto lives = OpenMany(client, 8);
  std::vector<std::thread> applications;
  for (const auto& live : lives) {
    applications.emplace_back([&live] { EXPECT_TRUE(FeedAndClose(*live->session, 500, 2).ok()); });
  }
  for (std::thread& application : applications) application.join();
  ExpectAll(lives, 500);
}

TEST(SessionsTest, AFailedSessionLeavesTheOthersAlone) {
  FakeServer server;
  Client client(FastOptions(server.target()));
  const auto lives = OpenMany(client, 3);
  server.Steal("s1");
  const float value = Value(0);
  ASSERT_TRUE(lives[1]->session->Send(0, {.values = {&value, 1}}).ok());
  EXPECT_EQ(lives[1]->recorder.AwaitEnd().code(), absl::StatusCode::kAborted);
  EXPECT_TRUE(FeedAndClose(*lives[0]->session, 50).ok());
  EXPECT_TRUE(FeedAndClose(*lives[2]->session, 50).ok());
  EXPECT_EQ(lives[2]->recorder.sums(), Sums(0, 50));
}

TEST(SessionsTest, ADestroyedSessionIsDetachedAtTheServer) {
  FakeServer server;
  Client client(FastOptions(server.target()));
  auto lives = OpenMany(client, 2);
  lives[0]->session.reset();
  EXPECT_TRUE(FeedAndClose(*lives[1]->session, 5).ok());
  EXPECT_EQ(server.closed(), 2);
  EXPECT_TRUE(server.exists("s0"));
}

}  // namespace
}  // namespace aaren::client
