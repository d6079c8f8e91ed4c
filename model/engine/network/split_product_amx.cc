// The fast product on Intel's matrix registers. A register holds 16 rows of 64 bytes. A register of inputs holds the
// upper and lower parts of 8 rows at 32 depths. A register of weights holds 16 outputs at the same depths. A register
// of sums holds one sum for each of 16 parts and 16 outputs. One instruction adds a block of depths, by section 14 of
// model/README.md.
//
//   up to 8 rows:  inputs × weights of 4 panels beside each other     the kernel waits for weights from the caches
//   more rows:     inputs of 16 rows × weights of 2 panels            each loaded weight serves twice
//
// The instructions exist on x86 only, and are requested from Linux only. No other system calls MultiplySplitByAmx.

#include "model/engine/network/split_product.h"

#if defined(__x86_64__) && defined(__linux__)

#include <immintrin.h>

#include <algorithm>

namespace aaren::engine {
namespace {

#define AAREN_AMX __attribute__((target("amx-tile,amx-bf16,avx512f,avx512dq,avx512bw,avx512vl")))

constexpr size_t kLanes = math::kLanes;
constexpr size_t kRegisterRows = 8;  // rows of inputs in a register
constexpr int kRowBytes = 64;

// Keeps the compiler from moving accesses of memory past the tile instructions. The compiler does not know that these
// read and write memory.
inline void Fence() { asm volatile("" ::: "memory"); }

// The shapes of the registers, in the layout of the instruction that loads them.
struct alignas(64) Shapes {
  uint8_t palette = 1, start_row = 0, reserved[14] = {};
  uint16_t row_bytes[16] = {};
  uint8_t rows[16] = {};
};

// Registers 0 to 3 hold sums, 4 and 5 inputs, 6 and 7 weights. Register 4 holds `first` rows of inputs and feeds sums 0
// and 1. Register 5 holds `second` rows and feeds sums 2 and 3.
AAREN_AMX void Begin(size_t first, size_t second) {
  Shapes shapes;
  std::fill_n(shapes.row_bytes, 8, kRowBytes);
  for (const int i : {0, 1, 4}) shapes.rows[i] = static_cast<uint8_t>(2 * first);
  for (const int i : {2, 3, 5}) shapes.rows[i] = static_cast<uint8_t>(2 * second);
  for (const int i : {6, 7}) shapes.rows[i] = 16;
  Fence();
  _tile_loadconfig(&shapes);
}

struct Call {
  const PackedMatrix& matrix;
  const SplitRows& x;
  float* out;
  size_t out_stride;

  size_t blocks() const { return x.stride() / SplitRows::kDepthBlock; }
};

constexpr int kWeightStride = PackedMatrix::kBeside * sizeof(uint32_t);
constexpr size_t kWeightBlock = SplitRows::kDepthBlock / 2 * PackedMatrix::kBeside;

// Adds the two parts' sums and the bias for each of `rows` rows. sums: [2 rows][kLanes].
AAREN_AMX inline void Join(const Call& call, const float* sums, size_t row, size_t rows, size_t column) {
  const __m512 bias = _mm512_load_ps(call.matrix.bias() + column);
  float* out = call.out + row * call.out_stride + column;
  for (size_t r = 0; r < rows; ++r, out += call.out_stride, sums += 2 * kLanes) {
    const __m512 sum = _mm512_add_ps(_mm512_load_ps(sums), _mm512_load_ps(sums + kLanes));
    _mm512_store_ps(out, _mm512_add_ps(sum, bias));
  }
}

// Multiplies `rows` rows, 8 at most, by kPanels panels of outputs. The panels lie in the same group of words.
template <int kPanels>
AAREN_AMX void MultiplyFew(const Call& call, size_t row, size_t rows, size_t column) {
  const uint16_t* x = call.x.parts(row);
  const uint32_t* weights = call.matrix.halves(column);
  const int x_stride = static_cast<int>(call.x.stride() * sizeof(uint16_t));
  _tile_zero(0);
  if constexpr (kPanels > 1) _tile_zero(1);
  if constexpr (kPanels > 2) _tile_zero(2);
  if constexpr (kPanels > 3) _tile_zero(3);
  for (size_t block = 0; block < call.blocks(); ++block, x += SplitRows::kDepthBlock, weights += kWeightBlock) {
    _tile_loadd(4, x, x_stride);
    _tile_loadd(6, weights, kWeightStride);
    _tile_dpbf16ps(0, 4, 6);
    if constexpr (kPanels > 1) {
      _tile_loadd(7, weights + kLanes, kWeightStride);
      _tile_dpbf16ps(1, 4, 7);
    }
    if constexpr (kPanels > 2) {
      _tile_loadd(6, weights + 2 * kLanes, kWeightStride);
      _tile_dpbf16ps(2, 4, 6);
    }
    if constexpr (kPanels > 3) {
      _tile_loadd(7, weights + 3 * kLanes, kWeightStride);
      _tile_dpbf16ps(3, 4, 7);
    }
  }
  alignas(64) float sums[kPanels][2 * kRegisterRows * kLanes];
  _tile_stored(0, sums[0], kRowBytes);
  if constexpr (kPanels > 1) _tile_stored(1, sums[1], kRowBytes);
  if constexpr (kPanels > 2) _tile_stored(2, sums[2], kRowBytes);
  if constexpr (kPanels > 3) _tile_stored(3, sums[3], kRowBytes);
  Fence();
  for (size_t panel = 0; panel < kPanels; ++panel) Join(call, sums[panel], row, rows, column + panel * kLanes);
}

// Multiplies 8 rows, and `second` further rows, by kPanels panels of outputs.
template <int kPanels>
AAREN_AMX void MultiplyPair(const Call& call, size_t row, size_t second, size_t column) {
  const uint16_t* x = call.x.parts(row);
  const uint16_t* more = call.x.parts(row + kRegisterRows);
  const uint32_t* weights = call.matrix.halves(column);
  const int x_stride = static_cast<int>(call.x.stride() * sizeof(uint16_t));
  _tile_zero(0);
  _tile_zero(2);
  if constexpr (kPanels > 1) _tile_zero(1);
  if constexpr (kPanels > 1) _tile_zero(3);
  for (size_t block = 0; block < call.blocks(); ++block, weights += kWeightBlock) {
    _tile_loadd(6, weights, kWeightStride);
    _tile_loadd(4, x + block * SplitRows::kDepthBlock, x_stride);
    _tile_dpbf16ps(0, 4, 6);
    _tile_loadd(5, more + block * SplitRows::kDepthBlock, x_stride);
    _tile_dpbf16ps(2, 5, 6);
    if constexpr (kPanels > 1) {
      _tile_loadd(7, weights + kLanes, kWeightStride);
      _tile_dpbf16ps(1, 4, 7);
      _tile_dpbf16ps(3, 5, 7);
    }
  }
  alignas(64) float sums[2 * kPanels][2 * kRegisterRows * kLanes];
  _tile_stored(0, sums[0], kRowBytes);
  _tile_stored(2, sums[1], kRowBytes);
  if constexpr (kPanels > 1) _tile_stored(1, sums[2], kRowBytes);
  if constexpr (kPanels > 1) _tile_stored(3, sums[3], kRowBytes);
  Fence();
  for (size_t panel = 0; panel < kPanels; ++panel) {
    Join(call, sums[2 * panel], row, kRegisterRows, column + panel * kLanes);
    Join(call, sums[2 * panel + 1], row + kRegisterRows, second, column + panel * kLanes);
  }
}

// Multiplies `rows` rows from `row` on, 8 at most.
void MultiplyFewRows(const Call& call, size_t row, size_t rows) {
  Begin(rows, rows);
  const size_t width = call.matrix.width();
  size_t column = 0;
  for (; column + 4 * kLanes <= width; column += 4 * kLanes) MultiplyFew<4>(call, row, rows, column);
  switch ((width - column) / kLanes) {
    case 1:
      return MultiplyFew<1>(call, row, rows, column);
    case 2:
      return MultiplyFew<2>(call, row, rows, column);
    case 3:
      return MultiplyFew<3>(call, row, rows, column);
  }
}

// Multiplies `pairs` times 16 rows from `row` on, while the weights of two panels stay in the first cache. The second
// half of the last pair has `second` rows.
void MultiplyPairs(const Call& call, size_t row, size_t pairs, size_t second) {
  Begin(kRegisterRows, second);
  const size_t width = call.matrix.width();
  size_t column = 0;
  for (; column + 2 * kLanes <= width; column += 2 * kLanes) {
    for (size_t i = 0; i < pairs; ++i) MultiplyPair<2>(call, row + i * 2 * kRegisterRows, second, column);
  }
  if (column == width) return;
  for (size_t i = 0; i < pairs; ++i) MultiplyPair<1>(call, row + i * 2 * kRegisterRows, second, column);
}

AAREN_AMX void End() { _tile_release(); }

}  // namespace

void MultiplySplitByAmx(const PackedMatrix& matrix, const SplitRows& x, float* out, size_t out_stride) {
  const Call call{matrix, x, out, out_stride};
  const size_t pairs = x.rows() / (2 * kRegisterRows), done = pairs * 2 * kRegisterRows, rest = x.rows() - done;
  if (pairs > 0) MultiplyPairs(call, 0, pairs, kRegisterRows);
  if (rest > kRegisterRows) {
    MultiplyPairs(call, done, 1, rest - kRegisterRows);
  } else if (rest > 0) {
    MultiplyFewRows(call, done, rest);
  }
  End();
}

}  // namespace aaren::engine

#else

#include <cstdlib>

namespace aaren::engine {

void MultiplySplitByAmx(const PackedMatrix&, const SplitRows&, float*, size_t) { std::abort(); }

}  // namespace aaren::engine

#endif
