#ifndef AAREN_MODEL_SEASON_VALUE_MEMORY_H_
#define AAREN_MODEL_SEASON_VALUE_MEMORY_H_

// ValueMemory is what a row remembers of its series' values: the last 1,488 of them (model/README.md, step 1).
//
// Values are taken in blocks of 48. Those of the block under way are floats. When a block is full, its values become
// codes of 16 bits on a grid of the block's own: low + step * code. The step is the least power of two that reaches the
// block's largest value. So whole numbers stay what they are, and others move by 1/65,534 of the block's range at most.
// All of it is a plain value without pointers and lies in the bytes of a row.
//
// The *typical* range is that of the blocks, but for a tenth of them on either side, and as much again beyond. It tells
// what the series usually does from a glitch or an outage, which should not come again a season later.
//
// Threading: a plain value.

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "model/season/bounds.h"

namespace aaren::season {

struct ValueMemory {
  static constexpr size_t kBlock = 48;
  static constexpr size_t kBlocks = 31;
  static constexpr size_t kValues = kBlock * kBlocks;
  static constexpr uint16_t kMissingCode = 65535;

  // A Window is room to unroll a memory into.
  struct Window {
    alignas(64) float values[kValues + kBlock];
  };

  Bounds typical;           // of full blocks; without any, everything
  float recent[kBlock];     // of the block under way; beyond them, NaN or those of the block before
  float low[kBlocks];       // the block b = seq / 48 is at b mod 31
  float step[kBlocks];      // 0 where all values are equal
  uint16_t codes[kValues];  // value `seq` is at seq mod 1488

  void Reset();

  // Takes the value of token `seq`, NaN where missing. Values of a block that is full are bounded by `bounds`.
  void Add(uint64_t seq, float value, const Bounds& bounds);

  // Writes the values up to token `newest`, the last one taken, in the order of time and within `bounds`, and returns
  // where the newest is. At least kValues - 1 are before it; those before the first token are NaN.
  const float* Unroll(uint64_t newest, const Bounds& bounds, Window& window) const;

  // Over the blocks that are full, `whole` of them since the start.
  Bounds TypicalRange(uint64_t whole) const;

  // DataLoss naming the number if no series can have left such a memory after `seq` tokens.
  absl::Status Check(uint64_t seq) const;
};
static_assert(sizeof(ValueMemory) == 8 + 48 * 4 + 31 * 8 + 1488 * 2);

}  // namespace aaren::season

#endif  // AAREN_MODEL_SEASON_VALUE_MEMORY_H_
