#include "client/cpp/messages/message_builder.h"

#include <gtest/gtest.h>

namespace aaren::client {
namespace {

TEST(MessageBuilderTest, UsesTheMemoryOfTokensAgain) {
  MessageBuilder builder;
  builder.set_capacity(1 << 20);
  v1::Tokens& first = builder.AddTokens();
  first.add_values(1);
  const float* memory = first.values().data();
  builder.Clear();
  v1::Tokens& second = builder.AddTokens();
  EXPECT_EQ(second.values_size(), 0);
  second.add_values(2);
  EXPECT_EQ(second.values().data(), memory);
}

TEST(MessageBuilderTest, IsFullOnceItsItemsReachTheCapacity) {
  MessageBuilder builder;
  builder.set_capacity(1000);
  EXPECT_GT(builder.room(), 0u);
  builder.AddTokens();
  builder.Grow(990);
  EXPECT_EQ(builder.room(), 0u);
  builder.Clear();
  EXPECT_GT(builder.room(), 0u);
}

TEST(MessageBuilderTest, KeepsTheOrderOfItems) {
  MessageBuilder builder;
  builder.set_capacity(1 << 20);
  for (int round = 0; round < 2; ++round) {
    builder.Clear();
    builder.AddTokens().set_handle(1);
    builder.Add().mutable_close()->set_handle(2);
    builder.AddTokens().set_handle(3);
  }
  ASSERT_EQ(builder.message().items_size(), 3);
  EXPECT_EQ(builder.message().items(0).tokens().handle(), 1u);
  EXPECT_EQ(builder.message().items(1).close().handle(), 2u);
  EXPECT_EQ(builder.message().items(2).tokens().handle(), 3u);
}

}  // namespace
}  // namespace aaren::client
