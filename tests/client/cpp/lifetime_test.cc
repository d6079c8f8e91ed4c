// Sessions and clients destroyed during operations.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <thread>
#include <utility>

#include "aaren/client/client.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "tests/client/cpp/recorder.h"
#include "tests/client/fake_server.h"

namespace aaren::client {
namespace {

// Does something at the first forecast or the first wait, on the client's thread, or when the session ends.
class Acting : public Recorder {
 public:
  void OnForecast(Session& session, const Forecast& forecast) override {
    Recorder::OnForecast(session, forecast);
    if (at_forecast) std::exchange(at_forecast, nullptr)();
  }
  void OnWaiting(Session&, const absl::Status&, absl::Duration) override {
    if (at_waiting) std::exchange(at_waiting, nullptr)();
  }
  void OnEnded(Session& session, const absl::Status& status) override {
    if (at_end) at_end();
    Recorder::OnEnded(session, status);
  }
  std::function<void()> at_forecast, at_waiting, at_end;
};

TEST(LifetimeTest, AListenerMayDestroyItsSession) {
  FakeServer server;
  Client client(FastOptions(server.target()));
  Acting acting;
  absl::Notification destroyed;
  std::unique_ptr<Session> session = *client.Open({.id = "a"}, acting);
  acting.at_forecast = [&] {
    session.reset();
    destroyed.Notify();
  };
  ASSERT_TRUE(session->WaitOpened().ok());
  ASSERT_TRUE(session->Send(0, {.values = {1, 2, 3}}).ok());
  destroyed.WaitForNotification();
  Recorder recorder;
  const auto next = *client.Open({.id = "b"}, recorder);
  ASSERT_TRUE(next->WaitOpened().ok());
  EXPECT_TRUE(FeedAndClose(*next, 5).ok());
  EXPECT_EQ(acting.seqs(), Seqs(0, 1));
  EXPECT_TRUE(acting.ended().empty());
  EXPECT_EQ(server.closed(), 2);
}

TEST(LifetimeTest, DestroyingASessionWaitsForItsCallback) {
  FakeServer server;
  Client client(FastOptions(server.target()));
  Acting acting;
  absl::Notification inside, leave;
  bool left = false;
  std::unique_ptr<Session> session = *client.Open({.id = "a"}, acting);
  acting.at_forecast = [&] {
    inside.Notify();
    leave.WaitForNotification();
    left = true;
  };
  ASSERT_TRUE(session->WaitOpened().ok());
  ASSERT_TRUE(session->Send(0, {.values = {1}}).ok());
  inside.WaitForNotification();
  std::thread other([&] { leave.Notify(); });
  session.reset();
  EXPECT_TRUE(left);
  other.join();
}

// The stream's thread is kept busy, and learns of the Open and the end at once.
TEST(LifetimeTest, ASessionDestroyedBeforeItsTurnIsNotOpened) {
  FakeServer server;
  Client client(FastOptions(server.target()));
  Acting acting;
  absl::Notification inside, leave;
  const auto session = *client.Open({.id = "a"}, acting);
  acting.at_forecast = [&] {
    inside.Notify();
    leave.WaitForNotification();
  };
  ASSERT_TRUE(session->WaitOpened().ok());
  ASSERT_TRUE(session->Send(0, {.values = {Value(0)}}).ok());
  inside.WaitForNotification();
  Recorder recorder;
  client.Open({.id = "b"}, recorder)->reset();
  leave.Notify();
  ASSERT_TRUE(FeedAndClose(*session, 20).ok());
  EXPECT_EQ(server.attempts().size(), 1u);
  EXPECT_FALSE(server.exists("b"));
}

TEST(LifetimeTest, ASessionDestroyedWhileItWaitsForRoomIsNotOpened) {
  FakeServer server;
  Client client(FastOptions(server.target()));
  Recorder recorder;
  const auto beside = *client.Open({.id = "beside"}, recorder);
  ASSERT_TRUE(beside->WaitOpened().ok());
  server.FailNextOpen(8, "no room", /*retry_ms=*/1);
  Acting acting;
  std::unique_ptr<Session> session;
  absl::Notification opened, destroyed;
  acting.at_waiting = [&] {
    opened.WaitForNotification();
    session.reset();
    destroyed.Notify();
  };
  session = *client.Open({.id = "a"}, acting);
  opened.Notify();
  destroyed.WaitForNotification();
  // The clock of retries goes on during further Opens: long enough for a retry after a millisecond.
  const absl::Time end = absl::Now() + absl::Milliseconds(20);
  size_t opens = 2;
  do {
    Recorder other;
    const auto later = *client.Open({.id = "later"}, other);
    ASSERT_TRUE(later->WaitOpened().ok());
    ASSERT_TRUE(later->Close().ok());
    ++opens;
  } while (absl::Now() < end);
  EXPECT_EQ(server.attempts().size(), opens);
  EXPECT_FALSE(server.exists("a"));
}

TEST(LifetimeTest, AListenerThatOpensAgainWhileItsClientIsDestroyedIsRefused) {
  FakeServer server;
  Acting acting;
  absl::Status again;
  std::unique_ptr<Session> session;
  {
    Client client(FastOptions(server.target()));
    acting.at_end = [&] { again = client.Open({.id = "again"}, acting).status(); };
    session = *client.Open({.id = "a"}, acting);
    ASSERT_TRUE(session->WaitOpened().ok());
  }
  EXPECT_EQ(again.code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(session->status().code(), absl::StatusCode::kCancelled);
}

TEST(LifetimeTest, AListenerMayOpenItsSessionAgainWhenItEnds) {
  FakeServer server;
  Client client(FastOptions(server.target()));
  Acting acting;
  Recorder recorder;
  std::unique_ptr<Session> again;
  acting.at_end = [&] { again = *client.Open({.id = "a"}, recorder); };
  const auto session = *client.Open({.id = "a"}, acting);
  ASSERT_TRUE(session->WaitOpened().ok());
  server.Steal("a");
  ASSERT_TRUE(session->Send(0, {.values = {Value(0)}}).ok());
  EXPECT_EQ(acting.AwaitEnd().code(), absl::StatusCode::kAborted);
  ASSERT_TRUE(again->WaitOpened().ok());
  EXPECT_TRUE(FeedAndClose(*again, 5).ok());
  EXPECT_EQ(recorder.sums(), Sums(0, 5));
}

TEST(LifetimeTest, AClientMayGoWhileThreadsSend) {
  FakeServer server;
  Recorder recorder;
  std::unique_ptr<Session> session;
  std::thread sender;
  {
    Client client(FastOptions(server.target()));
    session = *client.Open({.id = "a", .window = 4}, recorder);
    ASSERT_TRUE(session->WaitOpened().ok());
    absl::Notification sending;
    sender = std::thread([&] {
      absl::Status sent;
      for (uint64_t seq = 0; sent.ok(); ++seq) {
        sent = session->Send(seq, {.values = {Value(seq)}});
        if (seq == 10) sending.Notify();
      }
      EXPECT_EQ(sent.code(), absl::StatusCode::kCancelled);
    });
    sending.WaitForNotification();
  }
  sender.join();
  EXPECT_EQ(recorder.sums(), Sums(0, recorder.seqs().size()));
}

}  // namespace
}  // namespace aaren::client
