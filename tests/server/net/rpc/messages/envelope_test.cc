#include "server/net/rpc/messages/envelope.h"

#include <gtest/gtest.h>

#include <random>

#include "aaren/v1/stream.pb.h"

namespace aaren::rpc {
namespace {

v1::ServerMessage TwoItems() {
  v1::ServerMessage message;
  message.add_items()->mutable_closed()->set_handle(5);
  v1::Forecasts& forecasts = *message.add_items()->mutable_forecasts();
  for (int i = 0; i < 500; ++i) forecasts.add_values(static_cast<float>(i));
  return message;
}

TEST(EnvelopeTest, AppendedItemsAreTheBytesOfTheMessage) {
  const v1::ServerMessage message = TwoItems();
  std::string bytes;
  AppendItem(v1::ServerItem::kClosed, message.items(0).closed(), bytes);
  AppendItem(v1::ServerItem::kForecasts, message.items(1).forecasts(), bytes);
  EXPECT_EQ(bytes, message.SerializeAsString());
}

TEST(EnvelopeTest, ReaderWalksTheItems) {
  v1::ClientMessage message;
  message.add_items()->mutable_hello()->set_protocol_version(1);
  message.add_items();
  message.add_items()->mutable_tokens()->set_first_seq(300);
  const std::string bytes = message.SerializeAsString();
  ItemReader reader(bytes);
  ASSERT_EQ(reader.Next(), ItemReader::Result::kItem);
  EXPECT_EQ(reader.field(), static_cast<uint32_t>(v1::ClientItem::kHello));
  ASSERT_EQ(reader.Next(), ItemReader::Result::kItem);
  EXPECT_EQ(reader.field(), 0u);
  ASSERT_EQ(reader.Next(), ItemReader::Result::kItem);
  EXPECT_EQ(reader.field(), static_cast<uint32_t>(v1::ClientItem::kTokens));
  v1::Tokens tokens;
  ASSERT_TRUE(tokens.ParseFromArray(reader.content().data(), static_cast<int>(reader.content().size())));
  EXPECT_EQ(tokens.first_seq(), 300u);
  EXPECT_EQ(reader.Next(), ItemReader::Result::kEnd);
}

TEST(EnvelopeTest, FieldsOfLaterVersionsArePassedOver) {
  const std::string bytes = std::string("\x10\x07", 2) + std::string("\x1d\1\2\3\4", 5) + std::string("\x0a\0", 2);
  ItemReader reader(bytes);
  EXPECT_EQ(reader.Next(), ItemReader::Result::kItem);
  EXPECT_EQ(reader.Next(), ItemReader::Result::kEnd);
}

TEST(EnvelopeTest, FieldsBesideAnItemAreOfLaterVersionsToo) {
  v1::ClientMessage message;
  message.add_items()->mutable_tokens()->set_first_seq(300);
  std::string item = message.items(0).SerializeAsString();
  for (const std::string& beside : {std::string("\x60\x07"), std::string("\x4a\x02hi"), std::string("\x18\x05")}) {
    const std::string both = item + beside;
    const std::string bytes = std::string("\x0a") + static_cast<char>(both.size()) + both;
    ASSERT_TRUE(message.ParseFromString(bytes));
    ASSERT_TRUE(message.items(0).has_tokens());
    ItemReader reader(bytes);
    ASSERT_EQ(reader.Next(), ItemReader::Result::kItem);
    EXPECT_EQ(reader.field(), static_cast<uint32_t>(v1::ClientItem::kTokens));
    EXPECT_EQ(reader.content(), message.items(0).tokens().SerializeAsString());
    EXPECT_EQ(reader.Next(), ItemReader::Result::kEnd);
  }
}

TEST(EnvelopeTest, EveryTornMessageIsMalformedOrEndsBetweenItems) {
  v1::ClientMessage message;
  message.add_items()->mutable_tokens()->set_first_seq(300);
  message.add_items()->mutable_tokens()->set_first_seq(301);
  const std::string whole = message.SerializeAsString();
  for (size_t size = 1; size < whole.size(); ++size) {
    ItemReader reader(std::string_view(whole).substr(0, size));
    ItemReader::Result result;
    while ((result = reader.Next()) == ItemReader::Result::kItem) {
    }
    EXPECT_EQ(result == ItemReader::Result::kEnd, size == whole.size() / 2) << size;
  }
}

TEST(EnvelopeTest, RandomBytesNeverLeadOutside) {
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes(random() % 40, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random() % 4 == 0 ? 0x0a : random());
    ItemReader reader(bytes);
    size_t items = 0;
    while (reader.Next() == ItemReader::Result::kItem) {
      ++items;
      if (reader.content().empty()) continue;
      ASSERT_GE(reader.content().data(), bytes.data());
      ASSERT_LE(reader.content().data() + reader.content().size(), bytes.data() + bytes.size());
    }
    ASSERT_LE(items, bytes.size() / 2);
  }
}

}  // namespace
}  // namespace aaren::rpc
