#include "tests/bench/engine/amx_roof.h"

#include <cstdlib>

#if defined(__x86_64__) && defined(__linux__)

#include <immintrin.h>

#include <algorithm>
#include <cstdint>

namespace aaren::bench {

// Four sums: no sum waits for its last product. The registers are zero; zeros take as long as any number.
__attribute__((target("amx-tile,amx-bf16"))) void MatrixProducts() {
  struct alignas(64) {
    uint8_t palette = 1, start_row = 0, reserved[14] = {};
    uint16_t row_bytes[16] = {};
    uint8_t rows[16] = {};
  } shapes;
  std::fill_n(shapes.row_bytes, 8, 64);
  std::fill_n(shapes.rows, 8, 16);
  asm volatile("" ::: "memory");
  _tile_loadconfig(&shapes);
  for (int i = 0; i < 10'000; ++i) {
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  _tile_release();
}

}  // namespace aaren::bench

#else

namespace aaren::bench {

void MatrixProducts() { std::abort(); }

}  // namespace aaren::bench

#endif
