// The ends of streams, and that no end is felt by another stream.

#include <gmock/gmock.h>

#include "google/rpc/status.pb.h"
#include "grpcpp/generic/generic_stub.h"
#include "tests/server/net/rpc/serving/serving.h"

namespace aaren::rpc {
namespace {

using testing::HasSubstr;

class EndsTest : public Serving {
 protected:
  // Sends `items` on a fresh stream and returns the end of the stream.
  grpc::Status EndOf(const std::vector<v1::ClientItem>& items) {
    TestStream stream(NewChannel());
    stream.Send(items);
    return stream.Finish();
  }
};

TEST_F(EndsTest, HalfCloseEndsWithOkAfterEverythingIsAnswered) {
  TestStream stream(NewChannel());
  std::vector<v1::ClientItem> items = {HelloItem()};
  for (uint32_t handle = 0; handle < 200; ++handle) {
    items.push_back(OpenItem(handle, std::to_string(handle)));
    items.push_back(TokensItem(handle, 0, {1, 2, 3}));
    items.push_back(CloseItem(handle));
  }
  stream.Send(items);
  stream.HalfClose();
  int forecasts = 0, closed = 0;
  for (v1::ServerItem item = stream.Receive(); item.item_case() != 0; item = stream.Receive()) {
    forecasts += item.has_forecasts() && item.forecasts().next_seq() == 3;  // an item may be answered in parts
    closed += item.has_closed();
  }
  EXPECT_EQ(forecasts, 200);
  EXPECT_EQ(closed, 200);
  EXPECT_TRUE(stream.Finish().ok());
}

TEST_F(EndsTest, HalfCloseOfASilentStreamEndsWithOk) {
  TestStream stream(NewChannel());
  stream.HalfClose();
  EXPECT_TRUE(stream.Finish().ok());
}

TEST_F(EndsTest, FirstItemMustBeHello) {
  const grpc::Status status = EndOf({OpenItem(0, "a")});
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("Hello"));
}

TEST_F(EndsTest, EndedStreamIsToldWhyInAnItemToo) {
  TestStream stream(NewChannel());
  stream.Send(OpenItem(0, "a"));
  const v1::ServerItem item = stream.Receive();
  ASSERT_TRUE(item.has_failed());
  EXPECT_FALSE(item.failed().has_handle());
  EXPECT_EQ(item.failed().status().code(), grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_F(EndsTest, SecondHelloEndsTheStream) {
  EXPECT_EQ(EndOf({HelloItem(), HelloItem()}).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_F(EndsTest, AnotherProtocolVersionIsRefusedByNumber) {
  v1::ClientItem hello = HelloItem();
  hello.mutable_hello()->set_protocol_version(2);
  const grpc::Status status = EndOf({hello});
  EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(status.error_message(), HasSubstr("2"));
}

TEST_F(EndsTest, EmptyItemEndsTheStream) {
  EXPECT_EQ(EndOf({HelloItem(), v1::ClientItem()}).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_F(EndsTest, BytesThatAreNoMessageEndTheStream) {
  grpc::ClientContext context;
  grpc::CompletionQueue queue;
  grpc::GenericStub stub(NewChannel());
  const auto call = stub.PrepareCall(&context, "/aaren.v1.Streaming/Stream", &queue);
  int tag;
  const auto wait = [&queue] {
    void* done;
    bool ok;
    return queue.Next(&done, &ok) && ok;
  };
  call->StartCall(&tag);
  wait();
  const grpc::Slice garbage("\xff\xff\xff\xff garbage");
  call->Write(grpc::ByteBuffer(&garbage, 1), &tag);
  wait();
  grpc::ByteBuffer answer;
  do {
    call->Read(&answer, &tag);
  } while (wait());
  grpc::Status status;
  call->Finish(&status, &tag);
  wait();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("malformed"));
}

TEST_F(EndsTest, MessageOverTheLimitEndsItsStreamOnly) {
  rpc::ServerOptions options = Options();
  options.message_bytes = 64 << 10;
  Start(options);
  const auto channel = NewChannel();
  TestStream other(channel);
  other.Greet();
  other.Open(0, "other");
  TestStream stream(channel);
  stream.Greet();
  stream.Send(TokensItem(0, 0, std::vector<float>(20'000)));
  const grpc::Status status = stream.Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(status.error_message(), HasSubstr("65536"));
  other.Send(TokensItem(0, 0, {1}));
  EXPECT_TRUE(other.Receive().has_forecasts());
}

TEST_F(EndsTest, MessageThatOnlyAnImportMayHaveEndsItsStreamByTheSmallerLimit) {
  rpc::ServerOptions options = Options();
  options.message_bytes = 2 << 10;
  Start(options);
  TestStream stream(NewChannel());
  stream.Greet();
  stream.Send(TokensItem(0, 0, std::vector<float>(600)));
  const grpc::Status status = stream.Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(status.error_message(), HasSubstr("the limit is 2048"));
}

TEST_F(EndsTest, VanishedClientsLeaveTheirSessionsAsTheyWere) {
  for (uint64_t i = 0; i < 50; ++i) {
    TestStream stream(NewChannel());
    stream.Send({HelloItem(), OpenItem(0, "a")});
    while (!stream.Receive().has_opened()) {
    }
    for (uint64_t seq = i; seq < i + 20; ++seq) stream.Send(TokensItem(0, seq, {1}));
    if (i % 2 == 0) stream.Receive();
    stream.Cancel();
  }
  TestStream stream(NewChannel());
  stream.Greet();
  const uint64_t next_seq = stream.Open(0, "a").next_seq();
  stream.Send(TokensItem(0, next_seq, {1}));
  EXPECT_EQ(stream.Receive().forecasts().values(0), SumForecast(static_cast<float>(next_seq) + 1, 1, 0));
  EXPECT_TRUE(Eventually([this] {
    const rpc::StreamCounters& counters = *server().stream_counters().front();
    return counters.opened.value() - counters.closed.value() == 1;
  }));
}

// A refusal of tokens is no answer to the Close behind the tokens.
TEST_F(EndsTest, CloseIsAnsweredBehindTokensThatAreRefused) {
  for (int i = 0; i < 50; ++i) {
    TestStream stream(NewChannel());
    stream.Greet();
    v1::ClientItem close = CloseItem(0);
    close.mutable_close()->set_delete_session(true);
    stream.Send({OpenItem(0, "a"), TokensItem(0, 7, {1}), close});
    stream.HalfClose();
    bool closed = false;
    for (v1::ServerItem item = stream.Receive(); item.item_case() != 0; item = stream.Receive()) {
      closed |= item.has_closed();
    }
    ASSERT_TRUE(closed) << "run " << i;
  }
}

TEST_F(EndsTest, HandleCanBeOpenedAgainRightBehindItsClose) {
  TestStream stream(NewChannel());
  stream.Greet();
  v1::ClientItem again = OpenItem(0, "b");
  again.mutable_open()->set_number(2);
  stream.Send({OpenItem(0, "a"), TokensItem(0, 0, {1, 2, 3}), CloseItem(0), again, TokensItem(0, 0, {1})});
  stream.HalfClose();
  std::vector<v1::ServerItem::ItemCase> kinds;
  v1::ServerItem last;
  for (v1::ServerItem item = stream.Receive(); item.item_case() != 0; item = stream.Receive()) {
    kinds.push_back(item.item_case());
    if (item.has_opened()) last = item;
  }
  using Item = v1::ServerItem;
  EXPECT_THAT(kinds,
              testing::ElementsAre(Item::kOpened, Item::kForecasts, Item::kClosed, Item::kOpened, Item::kForecasts));
  EXPECT_EQ(last.opened().number(), 2u);
}

}  // namespace
}  // namespace aaren::rpc
