#include "server/net/rpc/streams/outbox.h"

#include <gtest/gtest.h>

#include "aaren/v1/stream.pb.h"
#include "grpcpp/support/slice.h"

namespace aaren::rpc {
namespace {

v1::Forecasts OfSize(int floats) {
  v1::Forecasts forecasts;
  forecasts.mutable_values()->Resize(floats, 1.0f);
  return forecasts;
}

v1::ServerMessage Parsed(const grpc::ByteBuffer& buffer) {
  grpc::Slice slice;
  EXPECT_TRUE(buffer.DumpToSingleSlice(&slice).ok());
  v1::ServerMessage message;
  EXPECT_TRUE(message.ParseFromArray(slice.begin(), static_cast<int>(slice.size())));
  return message;
}

TEST(OutboxTest, MergesItemsIntoOneMessage) {
  BufferPool pool;
  Outbox outbox(pool);
  for (int i = 0; i < 3; ++i) outbox.Append(v1::ServerItem::kForecasts, OfSize(10));
  EXPECT_EQ(Parsed(outbox.Take()).items_size(), 3);
  EXPECT_TRUE(outbox.empty());
}

TEST(OutboxTest, ClosesAMessageBeforeItGrowsTooLarge) {
  BufferPool pool;
  Outbox outbox(pool);
  constexpr int kItems = 20;
  for (int i = 0; i < kItems; ++i) outbox.Append(v1::ServerItem::kForecasts, OfSize(50'000));
  int items = 0;
  while (!outbox.empty()) {
    const grpc::ByteBuffer message = outbox.Take();
    EXPECT_LE(message.Length(), Outbox::kMessageBytes);
    items += Parsed(message).items_size();
  }
  EXPECT_EQ(items, kItems);
  EXPECT_EQ(outbox.bytes(), 0u);
}

TEST(OutboxTest, CountsTheBytesItHolds) {
  BufferPool pool;
  Outbox outbox(pool);
  outbox.Append(v1::ServerItem::kForecasts, OfSize(300'000));
  outbox.Append(v1::ServerItem::kForecasts, OfSize(10));
  const size_t bytes = outbox.bytes();
  EXPECT_EQ(bytes, outbox.Take().Length() + outbox.Take().Length());
}

TEST(OutboxTest, ClearForgetsEverything) {
  BufferPool pool;
  Outbox outbox(pool);
  for (int i = 0; i < 10; ++i) outbox.Append(v1::ServerItem::kForecasts, OfSize(50'000));
  outbox.Clear();
  EXPECT_TRUE(outbox.empty());
  outbox.Append(v1::ServerItem::kForecasts, OfSize(1));
  EXPECT_EQ(Parsed(outbox.Take()).items_size(), 1);
}

TEST(BufferPoolTest, KeepsCapacityButNotOfBuffersThatGrewLarge) {
  BufferPool pool;
  std::string small(1000, 'x');
  pool.Give(std::move(small));
  EXPECT_GE(pool.Take().capacity(), 1000u);
  std::string large(1 << 20, 'x');
  pool.Give(std::move(large));
  EXPECT_LT(pool.Take().capacity(), 1000u);
}

}  // namespace
}  // namespace aaren::rpc
