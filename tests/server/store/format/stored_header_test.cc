// The header of a stored session: damage is told from another version's header.

#include "server/store/format/stored_header.h"

#define XXH_INLINE_ALL
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <xxhash.h>

#include "server/store/format/fields.h"

namespace aaren::store {
namespace {

std::string Encoded() {
  StoredHeader header;
  header.key = "default/a";
  header.epoch = 7;
  return EncodeHeader(header);
}

TEST(StoredHeaderTest, ComesBack) {
  const absl::StatusOr<StoredHeader> header = ParseHeader("default/a", Encoded());
  ASSERT_TRUE(header.ok()) << header.status();
  EXPECT_EQ(header->epoch, 7u);
}

TEST(StoredHeaderTest, AnyFlippedBitIsDamageAlsoInTheVersion) {
  for (size_t i = 0; i < Encoded().size() * 8; ++i) {
    std::string bytes = Encoded();
    bytes[i / 8] = static_cast<char>(bytes[i / 8] ^ (1 << i % 8));
    EXPECT_TRUE(absl::IsDataLoss(ParseHeader("default/a", bytes).status())) << "bit " << i;
  }
}

TEST(StoredHeaderTest, OfALaterVersionIsNoDamage) {
  std::string bytes = Encoded();
  bytes.resize(bytes.size() - sizeof(uint64_t));
  ++bytes[0];
  Put(bytes, uint64_t{XXH3_64bits(bytes.data(), bytes.size())});
  const absl::Status status = ParseHeader("default/a", bytes).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr("format version"));
}

TEST(StoredHeaderTest, MoreSlotsThanThereAreAreRefused) {
  StoredHeader header;
  header.slots.resize(3);
  EXPECT_THAT(ParseHeader("default/a", EncodeHeader(header)).status().ToString(), testing::HasSubstr("has 3 slots"));
}

TEST(StoredHeaderTest, SlotOfANumberThatThereIsNotIsRefused) {
  EXPECT_THAT(ParseSlot("default/a", EncodeSlot({.slot = 2, .point = {}})).status().ToString(),
              testing::HasSubstr("a slot of number 2"));
}

}  // namespace
}  // namespace aaren::store
