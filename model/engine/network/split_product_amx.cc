// The fast product by Intel's matrix registers. One holds 16 rows of 64 bytes: of inputs, 8 rows' upper and lower parts
// and 32 depths; of weights, 16 outputs and the same depths; of sums, both. A sum of parts is one instruction a block
// of depths, which keeps to section 14 of model/README.md.
//
//   up to 8 rows:  inputs × weights of 4 panels beside each other     waits for the weights to come from the caches
//   more:          inputs of 16 rows × weights of 2 panels            each weight that was loaded serves twice
//
// The instructions are Linux's and x86's alone; elsewhere nobody calls this.

#include "model/engine/network/split_product.h"

#if defined(__x86_64__) && defined(__linux__)

#include <immintrin.h>

#include <algorithm>

namespace aaren::engine {
namespace {

#define AAREN_AMX __attribute__((target("amx-tile,amx-bf16,avx512f,avx512dq,avx512bw,avx512vl")))

constexpr size_t kLanes = math::kLanes;
constexpr size_t kRegisterRows = 8;  // of inputs
constexpr int kRowBytes = 64;

// The compiler does not know that the instructions read and write memory.
inline void Fence() { asm volatile("" ::: "memory"); }

// The registers' shapes, as the instruction wants them.
struct alignas(64) Shapes {
  uint8_t palette = 1, start_row = 0, reserved[14] = {};
  uint16_t row_bytes[16] = {};
  uint8_t rows[16] = {};
};

// Registers 0 to 3 have sums, 4 and 5 inputs, 6 and 7 weights. The second of inputs has `second` rows of the call's,
// and so have the sums 2 and 3 that it makes.
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

// Joins the sums of parts of `rows` rows, [2 rows][kLanes].
AAREN_AMX inline void Join(const Call& call, const float* sums, size_t row, size_t rows, size_t column) {
  const __m512 bias = _mm512_load_ps(call.matrix.bias() + column);
  float* out = call.out + row * call.out_stride + column;
  for (size_t r = 0; r < rows; ++r, out += call.out_stride, sums += 2 * kLanes) {
    const __m512 sum = _mm512_add_ps(_mm512_load_ps(sums), _mm512_load_ps(sums + kLanes));
    _mm512_store_ps(out, _mm512_add_ps(sum, bias));
  }
}

// `rows` rows, 8 at most, and kPanels panels of outputs, all of the same words of weights.
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

// 8 rows and `second` more, and kPanels panels of outputs.
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

// `rows` rows, 8 at most, from `row` on.
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

// `pairs` times 16 rows from `row` on; the weights of two panels stay in the first cache meanwhile. The last pair has
// `second` rows in its second half.
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
