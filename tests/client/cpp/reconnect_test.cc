// The client gives a server up in time, and waits between attempts.

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "aaren/client/client.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "google/rpc/error_details.pb.h"
#include "tests/client/cpp/recorder.h"
#include "tests/client/fake_server.h"

namespace aaren::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ReconnectTest, AnUnreachableServerEndsSessionsAfterTheTimeout) {
  ClientOptions options = FastOptions("127.0.0.1:1");
  options.connect_timeout = absl::Milliseconds(50);
  Client client(options);
  Recorder recorder;
  auto session = client.Open({.id = "a"}, recorder);
  const absl::Status status = (*session)->WaitOpened().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(status.message(), HasSubstr("no connection to 127.0.0.1:1"));
}

// The server may go away and come back while the client has no session.
TEST(ReconnectTest, AnOutageWithoutASessionCountsForNoSession) {
  FakeServer server;
  ClientOptions options = FastOptions(server.target());
  options.reconnect_timeout = absl::Milliseconds(50);
  Client client(options);
  Recorder recorder;
  {
    auto session = client.Open({.id = "a"}, recorder);
    ASSERT_TRUE((*session)->WaitOpened().ok());
    ASSERT_TRUE((*session)->Close().ok());
  }
  server.Stop();
  absl::SleepFor(absl::Milliseconds(150));
  server.Start();
  auto session = client.Open({.id = "b"}, recorder);
  EXPECT_EQ((*session)->WaitOpened().status(), absl::OkStatus());
}

// Ends the first stream with a status, and never answers later streams.
class SilentServer : public v1::Streaming::Service {
 public:
  SilentServer() {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
  }
  ~SilentServer() override { server_->Shutdown(std::chrono::system_clock::now()); }
  std::string target() const { return absl::StrCat("127.0.0.1:", port_); }

  grpc::Status Stream(grpc::ServerContext* context,
                      grpc::ServerReaderWriter<v1::ServerMessage, v1::ClientMessage>*) override {
    if (streams_++ == 0) return {grpc::StatusCode::UNAVAILABLE, "the house is on fire"};
    while (!context->IsCancelled()) absl::SleepFor(absl::Milliseconds(1));
    return grpc::Status::CANCELLED;
  }

 private:
  int port_ = 0;
  std::atomic<int> streams_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

TEST(ReconnectTest, AServerThatFallsSilentDoesNotHideWhatItSaidBefore) {
  SilentServer server;
  ClientOptions options = FastOptions(server.target());
  options.connect_timeout = absl::Milliseconds(500);
  Client client(options);
  Recorder recorder;
  auto session = client.Open({.id = "a"}, recorder);
  const absl::Status status = (*session)->WaitOpened().status();
  EXPECT_THAT(status.message(), HasSubstr("did not say Welcome in time; before that: the house is on fire"));
}

TEST(ReconnectTest, ARefusalOfTheStreamIsFinal) {
  FakeServer server;
  server.RefuseStreams(grpc::StatusCode::UNAUTHENTICATED);
  Client client(FastOptions(server.target()));
  Recorder recorder;
  auto session = client.Open({.id = "a"}, recorder);
  EXPECT_EQ((*session)->WaitOpened().status().code(), absl::StatusCode::kUnauthenticated);
  EXPECT_EQ(server.streams(), 1);
}

google::rpc::Status Exhausted(int retry_ms = 0) {
  google::rpc::Status status;
  status.set_code(8);
  status.set_message("too much of it");
  google::rpc::RetryInfo retry;
  retry.mutable_retry_delay()->set_nanos(retry_ms * 1000000);
  if (retry_ms > 0) status.add_details()->PackFrom(retry);
  return status;
}

// gRPC and proxies end streams with RESOURCE_EXHAUSTED when further clients have used up the memory.
TEST(ReconnectTest, AStreamThatEndsForWantOfMemoryIsTakenUpAgain) {
  FakeServer server;
  Client client(FastOptions(server.target()));
  Recorder recorder;
  auto session = client.Open({.id = "a"}, recorder);
  ASSERT_TRUE((*session)->WaitOpened().ok());
  server.EndStreams(1, 8);
  ASSERT_TRUE(FeedAndClose(**session, 50).ok());
  EXPECT_EQ(recorder.sums(), Sums(0, 50));
  EXPECT_EQ(server.streams(), 2);
}

TEST(ReconnectTest, AStreamThatTheServerItselfFindsTooLargeIsFinal) {
  FakeServer server;
  Client client(FastOptions(server.target()));
  Recorder recorder;
  auto session = client.Open({.id = "a"}, recorder);
  ASSERT_TRUE((*session)->WaitOpened().ok());
  server.EndStreams(1, 8, Exhausted());
  ASSERT_EQ(Feed(**session, 5).code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(recorder.AwaitEnd().message(), HasSubstr("too much of it"));
  EXPECT_EQ(server.streams(), 1);
}

// A clock with instant, recorded waits.
class FakeClock : public Clock {
 public:
  absl::Time Now() override {
    absl::MutexLock lock(&mutex_);
    return now_;
  }
  bool AwaitFor(absl::Mutex&, const absl::Condition& condition, absl::Duration timeout) override {
    absl::MutexLock lock(&mutex_);
    now_ += timeout;
    waits_.push_back(timeout);
    return condition.Eval();
  }
  void Pass(absl::Duration time) {
    absl::MutexLock lock(&mutex_);
    now_ += time;
  }
  std::vector<absl::Duration> waits() const {
    absl::MutexLock lock(&mutex_);
    return waits_;
  }

 private:
  mutable absl::Mutex mutex_;
  absl::Time now_ ABSL_GUARDED_BY(mutex_) = absl::UnixEpoch();
  std::vector<absl::Duration> waits_ ABSL_GUARDED_BY(mutex_);
};

TEST(ReconnectTest, WaitsLongerAndLongerBetweenAttempts) {
  FakeClock clock;
  ClientOptions options{.target = "127.0.0.1:1"};
  options.backoff = {.initial = absl::Seconds(1), .max = absl::Seconds(4), .multiplier = 2, .jitter = 0.5};
  options.connect_timeout = absl::Seconds(12);
  options.clock = &clock;
  options.random = [] { return 0.5; };
  Client client(options);
  Recorder recorder;
  auto session = client.Open({.id = "a"}, recorder);
  EXPECT_EQ(recorder.AwaitEnd().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(clock.waits(),
              ElementsAre(absl::Seconds(1), absl::Seconds(2), absl::Seconds(4), absl::Seconds(4), absl::Seconds(1)));
  EXPECT_EQ(recorder.disconnects(), 1);
}

TEST(ReconnectTest, ARefusalOfTheStreamThatSaysWhenToRetryIsRetriedThen) {
  FakeServer server;
  FakeClock clock;
  ClientOptions options{.target = server.target()};
  options.clock = &clock;
  Client client(options);
  Recorder recorder;
  auto session = client.Open({.id = "a"}, recorder);
  ASSERT_TRUE((*session)->WaitOpened().ok());
  server.EndStreams(1, 8, Exhausted(/*retry_ms=*/700));
  ASSERT_TRUE(FeedAndClose(**session, 20).ok());
  EXPECT_EQ(recorder.sums(), Sums(0, 20));
  EXPECT_THAT(clock.waits(), ElementsAre(absl::Milliseconds(700)));
}

TEST(ReconnectTest, AServerThatWelcomesAndAlwaysBreaksOffIsLeftAloneLongerAndLonger) {
  FakeServer server;
  FakeClock clock;
  ClientOptions options{.target = server.target()};
  options.backoff = {.initial = absl::Seconds(1), .max = absl::Seconds(9), .multiplier = 2};
  options.clock = &clock;
  options.random = [] { return 0.5; };
  Client client(options);
  Recorder recorder;
  auto session = client.Open({.id = "a"}, recorder);
  ASSERT_TRUE((*session)->WaitOpened().ok());
  server.EndStreams(3, 8);
  ASSERT_TRUE(FeedAndClose(**session, 3).ok());
  EXPECT_THAT(clock.waits(), ElementsAre(absl::Seconds(1), absl::Seconds(2), absl::Seconds(4)));
}

// A recorder with streams of length `life`.
class PassingTime : public Recorder {
 public:
  PassingTime(FakeClock& clock, absl::Duration life) : clock_(clock), life_(life) {}
  void OnOpened(Session& session, const Opened& opened) override {
    clock_.Pass(life_);
    Recorder::OnOpened(session, opened);
  }

 private:
  FakeClock& clock_;
  const absl::Duration life_;
};

std::vector<absl::Duration> WaitsBetweenStreamsThatLive(absl::Duration life) {
  FakeServer server;
  FakeClock clock;
  ClientOptions options{.target = server.target()};
  options.backoff = {.initial = absl::Seconds(1), .max = absl::Seconds(9), .multiplier = 2};
  options.clock = &clock;
  options.random = [] { return 0.5; };
  options.welcome_timeout = absl::InfiniteDuration();
  Client client(options);
  PassingTime recorder(clock, life);
  auto session = client.Open({.id = "a"}, recorder);
  server.EndStreams(4, 8);
  EXPECT_TRUE(FeedAndClose(**session, 3).ok());
  return clock.waits();
}

TEST(ReconnectTest, AStreamThatOutlivedTheWaitBeforeItIsTakenUpAgainSoon) {
  EXPECT_THAT(WaitsBetweenStreamsThatLive(absl::Seconds(1.5)),
              ElementsAre(absl::Seconds(1), absl::Seconds(1), absl::Seconds(1), absl::Seconds(1)));
}

TEST(ReconnectTest, StreamsThatLiveShorterThanTheWaitsBeforeThemAreTakenUpLaterAndLater) {
  EXPECT_THAT(WaitsBetweenStreamsThatLive(absl::Seconds(0.5)),
              ElementsAre(absl::Seconds(1), absl::Seconds(2), absl::Seconds(4), absl::Seconds(8)));
}

}  // namespace
}  // namespace aaren::client
