// A client can make the server hold a bounded amount, and further clients do not notice.

#include <unistd.h>

#include <fstream>
#include <thread>

#include "aaren/v1/sessions.grpc.pb.h"
#include "absl/strings/str_cat.h"
#include "grpcpp/completion_queue.h"
#include "grpcpp/generic/generic_stub.h"
#include "tests/server/net/rpc/serving/serving.h"

namespace aaren::rpc {
namespace {

class LimitsTest : public Serving {
 protected:
  // The sum of a counter over the server's shards.
  uint64_t Sum(counters::Counter rpc::StreamCounters::*counter) {
    uint64_t sum = 0;
    for (const rpc::StreamCounters* counters : server().stream_counters()) sum += (counters->*counter).value();
    return sum;
  }
};

// 16 KB a message and 36 bytes of forecast a token: far more, both ways, than the server may hold.
TEST_F(LimitsTest, ClientThatNeverReadsIsNotReadAndOthersGoOn) {
  constexpr uint64_t kMessages = 2000, kTokens = 4096;
  TestStream greedy(NewChannel());
  greedy.Greet();
  greedy.Open(0, "greedy");
  std::thread writer([&greedy] {
    for (uint64_t i = 0; i < kMessages; ++i) {
      if (!greedy.Send(TokensItem(0, i * kTokens, std::vector<float>(kTokens, 1)))) return;
    }
  });
  uint64_t received = 0;
  EXPECT_TRUE(Eventually([&] {  // nothing more is read
    const uint64_t before = std::exchange(received, Sum(&rpc::StreamCounters::messages_received));
    absl::SleepFor(absl::Milliseconds(200));
    return received > 10 && received == before;
  }));
  EXPECT_LT(received, kMessages - 20);

  TestStream other(NewChannel());
  other.Greet();
  other.Open(0, "other");
  for (uint64_t seq = 0; seq < 100; ++seq) {
    other.Send(TokensItem(0, seq, {1}));
    EXPECT_TRUE(other.Receive().has_forecasts());
  }
  greedy.Cancel();
  writer.join();
}

TEST_F(LimitsTest, ClientThatReadsAgainGetsEverything) {
  constexpr uint64_t kMessages = 200, kTokens = 4096;
  TestStream stream(NewChannel());
  stream.Greet();
  stream.Open(0, "late");
  std::thread writer([&stream] {
    for (uint64_t i = 0; i < kMessages; ++i) stream.Send(TokensItem(0, i * kTokens, std::vector<float>(kTokens, 1)));
    stream.HalfClose();
  });
  absl::SleepFor(absl::Milliseconds(200));  // lets replies pile up; the outcome does not depend on the time
  uint64_t next_seq = 0;
  // Tokens wait for the store now and then: an Acked says that a save has become durable.
  for (v1::ServerItem item = stream.Receive(); item.has_forecasts() || item.has_acked(); item = stream.Receive()) {
    if (item.has_acked()) continue;
    ASSERT_EQ(item.forecasts().first_seq(), next_seq);
    next_seq = item.forecasts().next_seq();
  }
  EXPECT_EQ(next_seq, kMessages * kTokens);
  writer.join();
  EXPECT_TRUE(stream.Finish().ok());
}

TEST_F(LimitsTest, HundredThousandOpensOnOneStream) {
  constexpr uint32_t kSessions = 100'000;
  TestStream stream(NewChannel());
  stream.Greet();
  std::thread writer([&stream] {
    for (uint32_t handle = 0; handle < kSessions;) {
      std::vector<v1::ClientItem> items;
      for (int i = 0; i < 1000; ++i, ++handle) items.push_back(OpenItem(handle, std::to_string(handle)));
      stream.Send(items);
    }
    stream.HalfClose();
  });
  uint32_t opened = 0;
  for (v1::ServerItem item = stream.Receive(); item.has_opened(); item = stream.Receive()) ++opened;
  EXPECT_EQ(opened, kSessions);
  writer.join();
  EXPECT_TRUE(stream.Finish().ok());
}

// Streams wait in a list, hear of room of their own meanwhile, and end: under a sanitizer, none may be left in the
// list.
TEST_F(LimitsTest, StreamsThatWaitForOneAnothersOpensComeAndGo) {
  constexpr int kStreams = 400;
  rpc::ServerOptions options = Options();
  options.shard.max_pending_opens = 2;
  Start(options);
  const auto channel = NewChannel();
  std::vector<std::unique_ptr<TestStream>> streams;
  for (int i = 0; i < kStreams; ++i) {
    std::vector<v1::ClientItem> items = {HelloItem()};
    for (int handle = 0; handle < 1 + i % 7; ++handle) items.push_back(OpenItem(handle, absl::StrCat(i, ".", handle)));
    streams.push_back(std::make_unique<TestStream>(channel));
    streams.back()->Send(items);
    streams.back()->HalfClose();
  }
  for (const auto& stream : streams) EXPECT_TRUE(stream->Finish().ok());
}

TEST_F(LimitsTest, FullQueueStopsReadingUntilWhatItHasIsStepped) {
  rpc::ServerOptions options = Options();
  options.shard.max_queued_bytes = 2'000;
  options.shard.max_step_tokens = 4;
  Start(options);
  TestStream stream(NewChannel());
  stream.Greet();
  stream.Open(0, "a");
  std::vector<v1::ClientItem> items;
  for (uint64_t seq = 0; seq < 500; ++seq) items.push_back(TokensItem(0, seq, {1}));
  stream.Send(items);
  stream.HalfClose();
  uint64_t next_seq = 0;
  for (v1::ServerItem item = stream.Receive(); item.has_forecasts(); item = stream.Receive()) {
    next_seq = item.forecasts().next_seq();
  }
  EXPECT_EQ(next_seq, 500u);
  EXPECT_TRUE(stream.Finish().ok());
}

TEST_F(LimitsTest, MessageThatFindsNoRoomEndsItsStreamAndSaysSo) {
  rpc::ServerOptions options = Options();
  options.limits.input_bytes = 20'000;
  Start(options);
  TestStream stream(NewChannel());
  stream.Greet();
  stream.Open(0, "a");
  stream.Send(TokensItem(0, 0, std::vector<float>(10'000, 1)));
  const v1::ServerItem item = stream.Receive();
  ASSERT_TRUE(item.has_failed());
  EXPECT_FALSE(item.failed().has_handle());
  EXPECT_EQ(stream.Finish().error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
}

// A message of `tokens` tokens, in several items.
std::vector<v1::ClientItem> LargeMessage(uint64_t first_seq, uint64_t tokens) {
  std::vector<v1::ClientItem> items;
  for (uint64_t seq = first_seq; seq < first_seq + tokens; seq += 2000) {
    items.push_back(TokensItem(0, seq, std::vector<float>(2000, 1)));
  }
  return items;
}

// Two clients each hold a message that is not handled before they read; a second message would leave too little room.
TEST_F(LimitsTest, LargeMessageFindsRoomBesideThoseOfClientsThatDoNotRead) {
  rpc::ServerOptions options = Options();
  options.limits.input_bytes = 100'000;
  options.limits.unread_bytes = 100'000;
  options.limits.unread = absl::Hours(1);
  Start(options);
  std::vector<std::unique_ptr<TestStream>> greedy;
  for (uint64_t i = 0; i < 2; ++i) {
    TestStream& stream = *greedy.emplace_back(std::make_unique<TestStream>(NewChannel()));
    stream.Send({HelloItem(), OpenItem(0, absl::StrCat("greedy-", i))});
    stream.Send(TokensItem(0, 0, std::vector<float>(4096, 1)));
    stream.Send(LargeMessage(/*first_seq=*/4096, /*tokens=*/10'000));
    EXPECT_TRUE(Eventually([&] { return Sum(&rpc::StreamCounters::messages_received) == 3 * (i + 1); }));
  }
  TestStream other(NewChannel());
  other.Greet();
  other.Open(0, "other");
  other.Send(LargeMessage(/*first_seq=*/0, /*tokens=*/6'000));
  EXPECT_TRUE(other.Receive().has_forecasts());
}

// The stream broke the contract behind tokens with unread replies: the server does not wait for the client.
TEST_F(LimitsTest, EndedStreamThatIsNotReadIsCutOff) {
  rpc::ServerOptions options = Options();
  options.limits.unread = absl::Seconds(2);  // long enough to be seen on a busy machine
  Start(options);
  std::vector<v1::ClientItem> items = {HelloItem(), OpenItem(0, "greedy")};
  for (uint64_t i = 0; i < 40; ++i) items.push_back(TokensItem(0, i * 4096, std::vector<float>(4096, 1)));
  TestStream greedy(NewChannel());
  greedy.Send(items);
  uint64_t sent = 0;
  EXPECT_TRUE(Eventually([&] {  // no more fits in between
    const uint64_t before = std::exchange(sent, Sum(&rpc::StreamCounters::bytes_sent));
    absl::SleepFor(absl::Milliseconds(200));
    return sent > 10'000 && sent == before;
  }));
  greedy.Send(v1::ClientItem());
  EXPECT_TRUE(Eventually([this] { return Sum(&rpc::StreamCounters::timed_out) == 1; }));
  EXPECT_TRUE(Eventually([this] { return Sum(&rpc::StreamCounters::closed) == 1; }));
}

// The reply does not fit into the connection's window, and nobody reads.
TEST_F(LimitsTest, UnaryCallEndsWhenItsReplyIsNotTaken) {
  rpc::ServerOptions options = Options();
  options.limits.unary_calls = 1;
  options.limits.unread = absl::Seconds(2);  // long enough to be seen on a busy machine
  options.shard.max_channels = 200'000;
  Start(options);
  TestStream stream(NewChannel());
  stream.Greet();
  v1::ClientItem open = OpenItem(0, "wide");
  open.mutable_open()->set_channels(200'000);
  stream.Open(open);

  v1::ExportSessionRequest request;
  request.set_session_id("wide");
  grpc::CompletionQueue queue;
  grpc::ClientContext context;
  const auto channel = NewChannel();
  grpc::GenericStub generic(channel);
  const auto call = generic.PrepareCall(&context, "/aaren.v1.Sessions/Export", &queue);
  call->StartCall(nullptr);
  void* tag;
  bool ok;
  ASSERT_TRUE(queue.Next(&tag, &ok) && ok);
  const std::string bytes = request.SerializeAsString();
  const grpc::Slice slice(bytes);
  call->Write(grpc::ByteBuffer(&slice, 1), grpc::WriteOptions().set_last_message(), nullptr);
  ASSERT_TRUE(queue.Next(&tag, &ok) && ok);

  const auto sessions = v1::Sessions::NewStub(NewChannel());
  const auto get = [&] {
    grpc::ClientContext get_context;
    v1::GetSessionRequest get_request;
    get_request.set_session_id("wide");
    v1::SessionInfo session;
    return sessions->Get(&get_context, get_request, &session).ok();
  };
  EXPECT_TRUE(Eventually([&] { return !get(); }));  // the only call is taken
  EXPECT_TRUE(Eventually(get));
  context.TryCancel();
  queue.Shutdown();
  while (queue.Next(&tag, &ok)) {
  }
}

// The clients' tokens fill the queue and cannot be stepped; the limit on reading is far away.
TEST_F(LimitsTest, ClientsThatDoNotReadDoNotKeepTheQueueFromOthers) {
  constexpr int kStreams = 20;
  rpc::ServerOptions options = Options();
  options.shard.max_queued_bytes = 200'000;
  options.limits.unread_bytes = 200'000;
  options.limits.unread = absl::Hours(1);
  Start(options);
  std::vector<std::unique_ptr<TestStream>> greedy;
  std::vector<std::thread> writers;
  for (int i = 0; i < kStreams; ++i) {
    greedy.push_back(std::make_unique<TestStream>(NewChannel()));
    writers.emplace_back([&stream = *greedy.back(), i] {
      stream.Send({HelloItem(), OpenItem(0, absl::StrCat("greedy-", i))});
      for (uint64_t seq = 0; seq < 40 * 4096; seq += 4096) {
        if (!stream.Send(TokensItem(0, seq, std::vector<float>(4096, 1)))) return;
      }
    });
  }
  TestStream other(NewChannel());
  other.Greet();
  other.Open(0, "other");
  EXPECT_TRUE(Eventually([this] { return Sum(&rpc::StreamCounters::timed_out) > 0; }));  // the queue was full
  other.Send(TokensItem(0, 0, {1}));
  EXPECT_TRUE(other.Receive().has_forecasts());
  for (const auto& stream : greedy) stream->Cancel();
  for (std::thread& writer : writers) writer.join();
}

}  // namespace
}  // namespace aaren::rpc
