#include "client/load/wire.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace aaren::client {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

v1::ClientMessage Parse(const WireMessage& message) {
  v1::ClientMessage parsed;
  EXPECT_TRUE(parsed.ParseFromArray(message.bytes().data(), static_cast<int>(message.size())));
  return parsed;
}

TEST(WireTest, TokensReadBackAsProtobuf) {
  WireMessage message;
  const std::vector<float> values = {1.5f, -2, 3};
  message.AddTokens(300, uint64_t{1} << 40, values, 127);
  message.AddTokens(0, 0, values, 0);
  const v1::ClientMessage parsed = Parse(message);
  ASSERT_EQ(parsed.items_size(), 2);
  EXPECT_EQ(parsed.items(0).tokens().handle(), 300u);
  EXPECT_EQ(parsed.items(0).tokens().first_seq(), uint64_t{1} << 40);
  EXPECT_EQ(parsed.items(0).tokens().delivered_seq(), 127u);
  EXPECT_THAT(parsed.items(0).tokens().values(), ElementsAre(1.5f, -2, 3));
  EXPECT_TRUE(parsed.items(1).tokens().has_delivered_seq());
}

TEST(WireTest, LargeItemsReadBackAsProtobuf) {
  WireMessage message;
  const std::vector<float> values(5000, 7);
  message.AddTokens(1, 2, values, 3);
  EXPECT_EQ(Parse(message).items(0).tokens().values_size(), 5000);
}

TEST(WireTest, OtherItemsReadBackAsProtobuf) {
  WireMessage message;
  v1::ClientItem item;
  item.mutable_open()->set_session_id("a");
  message.Add(item);
  item.mutable_close()->set_handle(9);
  message.Add(item);
  const v1::ClientMessage parsed = Parse(message);
  EXPECT_EQ(parsed.items(0).open().session_id(), "a");
  EXPECT_EQ(parsed.items(1).close().handle(), 9u);
}

class Heard : public ReplyHandler {
 public:
  void OnProgress(uint32_t handle, uint64_t next_seq) override { progress.emplace_back(handle, next_seq); }
  void OnItem(const v1::ServerItem& item) override { items.push_back(item); }
  std::vector<std::pair<uint32_t, uint64_t>> progress;
  std::vector<v1::ServerItem> items;
};

// In slices of `size` bytes, as frames of HTTP/2 arrive.
bool Read(const std::string& bytes, size_t size, Heard& heard) {
  std::vector<grpc::Slice> slices;
  for (size_t at = 0; at < bytes.size(); at += size) slices.emplace_back(bytes.substr(at, size));
  grpc::ByteBuffer buffer(slices.data(), slices.size());
  return ReadReply(buffer, heard);
}

v1::ServerMessage Reply() {
  v1::ServerMessage reply;
  reply.add_items()->mutable_welcome()->set_server("aaren");
  v1::Forecasts& forecasts = *reply.add_items()->mutable_forecasts();
  forecasts.set_handle(7);
  forecasts.set_first_seq(10);
  forecasts.set_next_seq(12);
  forecasts.set_durable_seq(8);
  for (int i = 0; i < 100; ++i) forecasts.add_values(static_cast<float>(i));
  v1::Acked& acked = *reply.add_items()->mutable_acked();
  acked.set_handle(0);
  acked.set_next_seq(64);
  reply.add_items()->mutable_failed()->mutable_status()->set_message("no");
  return reply;
}

TEST(WireTest, ReadsProgressAndTheRareItems) {
  for (const size_t slice : {1, 7, 100, 10000}) {
    Heard heard;
    ASSERT_TRUE(Read(Reply().SerializeAsString(), slice, heard)) << slice;
    EXPECT_THAT(heard.progress, ElementsAre(Pair(7, 12), Pair(0, 64)));
    ASSERT_EQ(heard.items.size(), 2u);
    EXPECT_EQ(heard.items[0].welcome().server(), "aaren");
    EXPECT_EQ(heard.items[1].failed().status().message(), "no");
  }
}

// The sizes are the server's word: nothing is copied or kept by them.
TEST(WireTest, AnItemThatSaysMoreThanThereIsIsMalformed) {
  for (const char* bytes :
       {"\x0a\xff\xff\xff\xff\x0f\x0a\xff\xff\xff\xff\x0f", "\x0a\x0c\x0a\xff\xff\xff\xff\x0f",
        "\x0a\x06\x0a\xff\xff\xff\xff\x0f", "\x0a\x06\x0a\xff\xff\xff\xff\x07", "\x0a\x02\x0a\x05"}) {
    Heard heard;
    EXPECT_FALSE(Read(bytes, 1000, heard));
    EXPECT_TRUE(heard.items.empty());
  }
}

TEST(WireTest, ACutReplyIsMalformed) {
  const std::string bytes = Reply().SerializeAsString();
  for (const size_t keep : {bytes.size() - 1, bytes.size() / 2, size_t{5}}) {
    Heard heard;
    EXPECT_FALSE(Read(bytes.substr(0, keep), 1000, heard)) << keep;
  }
}

}  // namespace
}  // namespace aaren::client
