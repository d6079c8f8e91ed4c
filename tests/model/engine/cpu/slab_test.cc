#include "model/engine/cpu/slab.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>

namespace aaren::engine {
namespace {

TEST(StateSlabTest, RowsAreApartAndAligned) {
  StateSlab slab(192, 20000);
  std::set<const std::byte*> starts;
  for (int i = 0; i < 20000; ++i) {
    const absl::Span<std::byte> row = slab.Row(slab.Allocate().value());
    ASSERT_EQ(row.size(), 192u);
    ASSERT_EQ(reinterpret_cast<uintptr_t>(row.data()) % 64, 0u);
    std::fill(row.begin(), row.end(), std::byte{0xff});
    starts.insert(row.data());
  }
  ASSERT_EQ(starts.size(), 20000u);
  for (auto next = std::next(starts.begin()); next != starts.end(); ++next) ASSERT_GE(*next - *std::prev(next), 192);
}

TEST(StateSlabTest, RowsKeepTheirPlaceAndContentWhileOthersCome) {
  StateSlab slab(64, 100000);
  const Slot first = slab.Allocate().value();
  std::byte* data = slab.Row(first).data();
  data[63] = std::byte{7};
  for (int i = 1; i < 100000; ++i) ASSERT_TRUE(slab.Allocate().ok());
  EXPECT_EQ(slab.Row(first).data(), data);
  EXPECT_EQ(data[63], std::byte{7});
}

TEST(StateSlabTest, FullSlabNamesItsCapacity) {
  StateSlab slab(64, 2);
  ASSERT_TRUE(slab.Allocate().ok());
  ASSERT_TRUE(slab.Allocate().ok());
  const absl::Status status = slab.Allocate().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(status.message(), "all 2 rows are taken");
  EXPECT_EQ(slab.used(), 2u);
}

TEST(StateSlabTest, FreedSlotIsStaleThoughItsPlaceIsReused) {
  StateSlab slab(64, 2);
  const Slot old = slab.Allocate().value();
  slab.Free(old);
  EXPECT_TRUE(slab.Row(old).empty());
  const Slot reused = slab.Allocate().value();
  EXPECT_EQ(reused.index, old.index);
  EXPECT_NE(reused.generation, old.generation);
  EXPECT_TRUE(slab.Row(old).empty());
  EXPECT_FALSE(slab.Row(reused).empty());
}

TEST(StateSlabTest, FreeingAStaleSlotDoesNothing) {
  StateSlab slab(64, 2);
  const Slot old = slab.Allocate().value();
  slab.Free(old);
  const Slot reused = slab.Allocate().value();
  slab.Free(old);
  EXPECT_FALSE(slab.Row(reused).empty());
  EXPECT_EQ(slab.used(), 1u);
}

TEST(StateSlabTest, SlotsNeverHandedOutNameNoRow) {
  StateSlab slab(64, 2);
  EXPECT_TRUE(slab.Row({}).empty());
  EXPECT_TRUE(slab.Row({.index = 5, .generation = 1}).empty());
  const Slot slot = slab.Allocate().value();
  slab.Free(slot);
  EXPECT_TRUE(slab.Row({.index = slot.index, .generation = slot.generation + 1}).empty());
}

TEST(StateSlabTest, RowLargerThanABlockIsFine) {
  StateSlab slab(size_t{3} << 20, 2);
  const Slot slot = slab.Allocate().value();
  slab.Row(slot).back() = std::byte{1};
  EXPECT_EQ(slab.Row(slot).back(), std::byte{1});
}

}  // namespace
}  // namespace aaren::engine
