#include "model/engine/cuda/tile_plan.h"

#include <gtest/gtest.h>

#include <random>

namespace aaren::engine {
namespace {

// Tokens of runs of the given lengths, each run with a separate row.
std::vector<DeviceToken> Tokens(const std::vector<size_t>& runs) {
  static double states[1000];
  std::vector<DeviceToken> tokens;
  for (size_t run = 0; run < runs.size(); ++run) {
    for (size_t i = 0; i < runs[run]; ++i) tokens.emplace_back().state = states + run;
  }
  return tokens;
}

TilePlan Plan(const std::vector<size_t>& runs, size_t tile_tokens) {
  TilePlan plan;
  PlanTiles(Tokens(runs), tile_tokens, plan);
  return plan;
}

TEST(TilePlanTest, ShortRunsShareATile) {
  const TilePlan plan = Plan({1, 2, 3, 1}, 8);
  ASSERT_EQ(plan.tiles.size(), 1u);
  EXPECT_EQ(plan.tiles[0].count, 7u);
}

TEST(TilePlanTest, ARunThatDoesNotFitBeginsABlock) {
  const TilePlan plan = Plan({5, 4}, 8);
  ASSERT_EQ(plan.blocks.size(), 2u);
  EXPECT_EQ(plan.tiles[1].begin, 5u);
}

TEST(TilePlanTest, ALongRunIsOneBlocksTileByTile) {
  const TilePlan plan = Plan({20}, 8);
  ASSERT_EQ(plan.blocks.size(), 1u);
  EXPECT_EQ(plan.blocks[0].count, 3u);
  EXPECT_EQ(plan.tiles[2].count, 4u);
}

TEST(TilePlanTest, EveryTokenIsTakenOnceInOrderAndNoRowByTwoBlocks) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 300; ++round) {
    std::vector<size_t> runs(1 + random() % 30);
    for (size_t& run : runs) run = 1 + random() % (random() % 4 == 0 ? 100 : 9);
    const std::vector<DeviceToken> tokens = Tokens(runs);
    const size_t tile_tokens = size_t{8} << random() % 3;
    const TilePlan plan = Plan(runs, tile_tokens);
    size_t token = 0, tile = 0;
    const double* last = nullptr;
    for (const DeviceBlock& block : plan.blocks) {
      ASSERT_EQ(block.begin, tile);
      ASSERT_NE(tokens[token].state, last) << "two blocks have the row";
      for (; tile < block.begin + block.count; ++tile) {
        ASSERT_EQ(plan.tiles[tile].begin, token);
        ASSERT_GE(plan.tiles[tile].count, 1u);
        ASSERT_LE(plan.tiles[tile].count, tile_tokens);
        token += plan.tiles[tile].count;
      }
      last = tokens[token - 1].state;
    }
    ASSERT_EQ(token, tokens.size());
    ASSERT_EQ(tile, plan.tiles.size());
  }
}

}  // namespace
}  // namespace aaren::engine
