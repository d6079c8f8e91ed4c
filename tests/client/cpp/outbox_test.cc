#include "client/cpp/messages/outbox.h"

#include <gtest/gtest.h>

namespace aaren::client {
namespace {

TEST(OutboxTest, UsesTheMemoryOfTokensAgain) {
  Outbox outbox;
  outbox.set_capacity(1 << 20);
  v1::Tokens& first = outbox.AddTokens();
  first.add_values(1);
  const float* memory = first.values().data();
  outbox.Clear();
  v1::Tokens& second = outbox.AddTokens();
  EXPECT_EQ(second.values_size(), 0);
  second.add_values(2);
  EXPECT_EQ(second.values().data(), memory);
}

TEST(OutboxTest, IsFullOnceItsItemsReachTheCapacity) {
  Outbox outbox;
  outbox.set_capacity(1000);
  EXPECT_GT(outbox.room(), 0u);
  outbox.AddTokens();
  outbox.Grow(990);
  EXPECT_EQ(outbox.room(), 0u);
  outbox.Clear();
  EXPECT_GT(outbox.room(), 0u);
}

TEST(OutboxTest, KeepsTheOrderOfItems) {
  Outbox outbox;
  outbox.set_capacity(1 << 20);
  for (int round = 0; round < 2; ++round) {
    outbox.Clear();
    outbox.AddTokens().set_handle(1);
    outbox.Add().mutable_close()->set_handle(2);
    outbox.AddTokens().set_handle(3);
  }
  ASSERT_EQ(outbox.message().items_size(), 3);
  EXPECT_EQ(outbox.message().items(0).tokens().handle(), 1u);
  EXPECT_EQ(outbox.message().items(1).close().handle(), 2u);
  EXPECT_EQ(outbox.message().items(2).tokens().handle(), 3u);
}

}  // namespace
}  // namespace aaren::client
