#ifndef AAREN_MODEL_SEASON_VALUE_MEMORY_H_
#define AAREN_MODEL_SEASON_VALUE_MEMORY_H_

// ValueMemory is a row's memory of the values of a series: the last 1,488 of them (model/README.md, step 1).
//
// Values come in blocks of 48. The block under way keeps floats. A full block is coded: each value becomes 16 bits on a
// grid of the block, low + step * code. The step is the least power of two with which the codes reach the block's
// largest value. So whole numbers are kept exactly, and other values move by at most 1/65,534 of the block's range.
//
// The memory is a plain value without pointers and lies in the bytes of a row.
//
// The *typical* range spans the blocks except for a tenth of them on either side, and is widened by its own length at
// both ends. A value outside is a glitch or an outage, which should not come again a season later.
//
// Threading: a plain value.

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "model/season/bounds.h"

namespace aaren::season {

struct ValueMemory {
  static constexpr size_t kBlock = 48;  // values
  static constexpr size_t kBlocks = 31;
  static constexpr size_t kValues = kBlock * kBlocks;
  static constexpr uint16_t kMissingCode = 65535;

  // A Window is the room into which a memory is unrolled.
  struct Window {
    alignas(64) float values[kValues + kBlock];
  };

  Bounds typical;           // the typical range of the full blocks; without a full block, everything
  float recent[kBlock];     // the block under way; places not yet taken hold NaN or the block before
  float low[kBlocks];       // block b = seq / 48 lies at b mod 31
  float step[kBlocks];      // 0 where all values are equal
  uint16_t codes[kValues];  // the value of token `seq` lies at seq mod 1488

  void Reset();

  // Stores the value of token `seq`, NaN if missing. If the value fills a block, the block's values are clamped to
  // `bounds` and coded.
  void Add(uint64_t seq, float value, const Bounds& bounds);

  // Writes the remembered values up to token `newest`, oldest first and clamped to `bounds`. `newest` is the last token
  // added. Returns the place of the newest value. At least kValues - 1 values precede that place; values before the
  // first token are NaN.
  const float* Unroll(uint64_t newest, const Bounds& bounds, Window& window) const;

  // The typical range of the full blocks; `whole` blocks were filled since the start.
  Bounds TypicalRange(uint64_t whole) const;

  // The newest value of the block filled last, where the series has left the origin of its values so far behind that
  // floats lose what the values differ by, and else 0. `variance` is that of the whole series.
  double FarFromOrigin(double variance) const;

  // Makes all values `distance` less, after `seq` tokens. REQUIRES: no block is under way.
  void Shift(uint64_t seq, double distance);

  // DataLoss naming the number if no series can have left such a memory after `seq` tokens.
  absl::Status Check(uint64_t seq) const;
};
static_assert(sizeof(ValueMemory) == 8 + 48 * 4 + 31 * 8 + 1488 * 2);

}  // namespace aaren::season

#endif  // AAREN_MODEL_SEASON_VALUE_MEMORY_H_
