#include "model/engine/cuda/tile_plan.h"

#include <algorithm>

namespace aaren::engine {
namespace {

uint32_t Number(size_t number) { return static_cast<uint32_t>(number); }

size_t EndOfRun(absl::Span<const DeviceToken> tokens, size_t begin) {
  const auto other = [&](const DeviceToken& token) { return token.state != tokens[begin].state; };
  return static_cast<size_t>(std::find_if(tokens.begin() + begin, tokens.end(), other) - tokens.begin());
}

// Tokens [begin, end) become a block.
void AddBlock(size_t begin, size_t end, size_t tile_tokens, TilePlan& plan) {
  const size_t first = plan.tiles.size();
  for (; begin < end; begin += tile_tokens) {
    plan.tiles.push_back({Number(begin), Number(std::min(tile_tokens, end - begin))});
  }
  plan.blocks.push_back({Number(first), Number(plan.tiles.size() - first)});
}

}  // namespace

void PlanTiles(absl::Span<const DeviceToken> tokens, size_t tile_tokens, TilePlan& plan) {
  plan.tiles.clear();
  plan.blocks.clear();
  size_t begin = 0;  // the first token of the block under way
  for (size_t run = 0; run < tokens.size();) {
    const size_t end = EndOfRun(tokens, run);
    // Whole runs fill a block until the next run does not fit. A run longer than a tile is alone in its block.
    if (end - begin > tile_tokens && run > begin) {
      AddBlock(begin, run, tile_tokens, plan);
      begin = run;
    }
    run = end;
  }
  if (begin < tokens.size()) AddBlock(begin, tokens.size(), tile_tokens, plan);
}

size_t LongestRun(absl::Span<const DeviceToken> tokens) {
  size_t longest = 0;
  for (size_t run = 0, end; run < tokens.size(); run = end) {
    end = EndOfRun(tokens, run);
    longest = std::max(longest, end - run);
  }
  return longest;
}

}  // namespace aaren::engine
