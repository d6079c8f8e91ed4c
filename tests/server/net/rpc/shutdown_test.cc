// Leaving in good order.

#include <gmock/gmock.h>

#include <atomic>
#include <thread>
#include <vector>

#include "aaren/v1/sessions.grpc.pb.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "tests/server/net/rpc/serving/serving.h"
#include "tests/server/sessions/shard/world/world.h"
#include "tests/server/store/blocking.h"

namespace aaren::rpc {
namespace {

// The server's clock stands: no deadline passes unless a test moves the clock.
class ShutdownTest : public Serving {
 protected:
  ShutdownTest() { Start(Options(), clock_); }
  ~ShutdownTest() override { server_.reset(); }

  shard::TestClock clock_;
};

TEST_F(ShutdownTest, TokensSentBeforeAreAnsweredAndSaved) {
  TestStream stream(NewChannel());
  stream.Greet();
  stream.Open(0, "a");
  stream.Send(TokensItem(0, 0, {1, 2, 3}));
  stream.Receive();
  std::thread shutdown([this] { server().Shutdown(absl::Seconds(4)); });
  v1::ServerItem item = stream.Receive();
  ASSERT_TRUE(item.has_draining()) << item.DebugString();
  EXPECT_EQ(item.draining().deadline_ms(), 1000);
  stream.Send(TokensItem(0, 3, {4}));
  while (item.item_case() != 0 && !item.has_forecasts()) item = stream.Receive();
  EXPECT_EQ(item.forecasts().next_seq(), 4u);
  clock_.Advance(absl::Seconds(1));
  const grpc::Status status = stream.Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  shutdown.join();
  const absl::StatusOr<store::SessionRecord> record = store::BlockingStore(store_).Load("default/a");
  ASSERT_TRUE(record.ok()) << record.status();
  EXPECT_EQ(record->saves.back().point.seq, 4u);
}

TEST_F(ShutdownTest, EndsAtOnceWhenTheClientsLeave) {
  TestStream stream(NewChannel());
  stream.Greet();
  std::thread client([&stream] {
    while (!stream.Receive().has_draining()) {
    }
    stream.HalfClose();
    EXPECT_TRUE(stream.Finish().ok());
  });
  server().Shutdown(absl::Seconds(60));  // hangs if it waits for a deadline
  client.join();
}

TEST_F(ShutdownTest, ClientThatDoesNotReadIsCutOffWithinGrace) {
  TestStream stream(NewChannel());
  stream.Greet();
  stream.Open(0, "a");
  std::thread writer([&stream] {
    for (uint64_t i = 0; i < 200; ++i) {
      if (!stream.Send(TokensItem(0, i * 4096, std::vector<float>(4096, 1)))) return;
    }
  });
  EXPECT_TRUE(Eventually([this] { return server().stream_counters().front()->messages_received.value() > 10; }));
  TestStream witness(NewChannel());
  witness.Greet();
  std::thread shutdown([this] { server().Shutdown(absl::Seconds(20)); });
  while (!witness.Receive().has_draining()) {
  }
  clock_.Advance(absl::Seconds(18));
  shutdown.join();  // hangs unless the client is cut off by then
  writer.join();
}

TEST_F(ShutdownTest, NewStreamsAreTurnedAwayWhileDraining) {
  const auto channel = NewChannel();
  TestStream stream(channel);
  stream.Greet();
  std::thread shutdown([this] { server().Shutdown(absl::Seconds(4)); });
  while (!stream.Receive().has_draining()) {
  }
  TestStream late(channel);
  EXPECT_EQ(late.Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
  stream.HalfClose();
  shutdown.join();
}

// Welcome comes first or not at all.
TEST_F(ShutdownTest, StreamWithoutHelloIsTurnedAway) {
  TestStream stream(NewChannel());
  const auto opened = [this] {
    uint64_t sum = 0;
    for (const rpc::StreamCounters* counters : server().stream_counters()) sum += counters->opened.value();
    return sum == 1;
  };
  ASSERT_TRUE(Eventually(opened));
  std::thread shutdown([this] { server().Shutdown(absl::Seconds(4)); });
  const v1::ServerItem item = stream.Receive();
  EXPECT_EQ(item.item_case(), v1::ServerItem::ITEM_NOT_SET) << item.DebugString();
  EXPECT_EQ(stream.Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
  shutdown.join();
}

TEST_F(ShutdownTest, UnaryCallsAreRefusedAndHealthIsToldWhileDraining) {
  TestStream stream(NewChannel());
  stream.Greet();
  std::thread shutdown([this] { server().Shutdown(absl::Seconds(4)); });
  while (!stream.Receive().has_draining()) {
  }
  grpc::ClientContext list_context, check_context;
  v1::ListSessionsResponse sessions;
  const auto channel = NewChannel();
  const grpc::Status listed = v1::Sessions::NewStub(channel)->List(&list_context, v1::ListSessionsRequest(), &sessions);
  EXPECT_EQ(listed.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(listed.error_message(), testing::HasSubstr("shutting down"));
  grpc::health::v1::HealthCheckResponse health;
  const auto stub = grpc::health::v1::Health::NewStub(channel);
  EXPECT_TRUE(stub->Check(&check_context, grpc::health::v1::HealthCheckRequest(), &health).ok());
  EXPECT_EQ(health.status(), grpc::health::v1::HealthCheckResponse::NOT_SERVING);
  stream.HalfClose();
  shutdown.join();
}

TEST_F(ShutdownTest, SessionsAreSavedHoweverOftenClientsAsk) {
  Start(Options());  // on a running clock: the stream never leaves
  TestStream stream(NewChannel());
  stream.Greet();
  stream.Open(0, "a");
  stream.Send(TokensItem(0, 0, {1, 2, 3}));
  stream.Receive();
  std::atomic<bool> over{false};
  std::vector<std::thread> askers;
  for (int i = 0; i < 3; ++i) {
    askers.emplace_back([this, &over] {
      const auto stub = v1::Sessions::NewStub(NewChannel());
      while (!over) {
        grpc::ClientContext context;
        v1::ListSessionsResponse sessions;
        (void)stub->List(&context, v1::ListSessionsRequest(), &sessions);
      }
    });
  }
  server().Shutdown(absl::Seconds(4));
  over = true;
  for (std::thread& asker : askers) asker.join();
  const absl::StatusOr<store::SessionRecord> record = store::BlockingStore(store_).Load("default/a");
  ASSERT_TRUE(record.ok()) << record.status();
  EXPECT_EQ(record->saves.back().point.seq, 3u);
}

TEST_F(ShutdownTest, HealthWatchersHearOfIt) {
  const auto stub = grpc::health::v1::Health::NewStub(NewChannel());
  grpc::ClientContext context;
  const auto watch = stub->Watch(&context, grpc::health::v1::HealthCheckRequest());
  grpc::health::v1::HealthCheckResponse response;
  ASSERT_TRUE(watch->Read(&response));
  EXPECT_EQ(response.status(), grpc::health::v1::HealthCheckResponse::SERVING);
  std::thread shutdown([this] { server().Shutdown(absl::Seconds(4)); });
  ASSERT_TRUE(watch->Read(&response));
  EXPECT_EQ(response.status(), grpc::health::v1::HealthCheckResponse::NOT_SERVING);
  shutdown.join();
  EXPECT_FALSE(watch->Finish().ok());
}

TEST_F(ShutdownTest, AnotherServerMayTakeThePort) {
  const std::string address = server().address();
  server().Shutdown(absl::Seconds(1));
  rpc::ServerOptions options = Options();
  options.listen = address;
  Start(options);
  TestStream stream(NewChannel());
  EXPECT_EQ(stream.Greet().protocol_version(), 1u);
}

}  // namespace
}  // namespace aaren::rpc
