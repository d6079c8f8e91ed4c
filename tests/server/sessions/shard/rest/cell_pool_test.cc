#include "server/sessions/shard/tiers/cell_pool.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <utility>
#include <vector>

namespace aaren::shard {
namespace {

TEST(CellPoolTest, CellsDoNotOverlap) {
  CellPool pool;
  std::mt19937 random(1);
  std::vector<std::pair<unsigned char*, size_t>> cells;
  for (int i = 0; i < 20'000; ++i) {
    const size_t bytes = 53 + random() % 100;
    auto* cell = static_cast<unsigned char*>(pool.Allocate(bytes));
    std::memset(cell, i % 251, bytes);
    cells.emplace_back(cell, bytes);
  }
  for (int i = 0; i < 20'000; ++i) {
    const auto [cell, bytes] = cells[static_cast<size_t>(i)];
    for (size_t byte = 0; byte < bytes; ++byte) ASSERT_EQ(cell[byte], i % 251);
  }
  for (const auto& [cell, bytes] : cells) pool.Free(cell, bytes);
}

TEST(CellPoolTest, GivesBlocksBackThatNobodyUses) {
  CellPool pool;
  std::vector<void*> cells;
  for (int i = 0; i < 20'000; ++i) cells.push_back(pool.Allocate(72));
  EXPECT_GT(pool.blocks(), 1);
  for (void* cell : cells) pool.Free(cell, 72);
  EXPECT_EQ(pool.blocks(), 0);
}

TEST(CellPoolTest, UsesFreedCellsAgain) {
  CellPool pool;
  void* kept = pool.Allocate(64);
  for (int i = 0; i < 100'000; ++i) pool.Free(pool.Allocate(64), 64);
  EXPECT_EQ(pool.blocks(), 1);
  pool.Free(kept, 64);
}

}  // namespace
}  // namespace aaren::shard
