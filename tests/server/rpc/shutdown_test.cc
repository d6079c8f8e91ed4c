// Leaving in good order.

#include <gmock/gmock.h>

#include <thread>

#include "grpc/health/v1/health.grpc.pb.h"
#include "tests/server/rpc/serving.h"
#include "tests/server/session/world.h"

namespace aaren {
namespace {

// The server's clock stands, so that no deadline passes before a test lets it.
class ShutdownTest : public Serving {
 protected:
  ShutdownTest() { Start(Options(), clock_); }
  ~ShutdownTest() override { server_.reset(); }

  TestClock clock_;
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
  const absl::StatusOr<SessionRecord> record = store_.Load("default/a");
  ASSERT_TRUE(record.ok()) << record.status();
  EXPECT_EQ(record->saves.back().seq, 4u);
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
  EXPECT_TRUE(Eventually([this] { return server().stream_counters().front()->messages_received.value() > 30; }));
  TestStream witness(NewChannel());
  witness.Greet();
  std::thread shutdown([this] { server().Shutdown(absl::Seconds(20)); });
  while (!witness.Receive().has_draining()) {
  }
  clock_.Advance(absl::Seconds(18));
  shutdown.join();  // hangs if the client is not cut off by then
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
}  // namespace aaren
