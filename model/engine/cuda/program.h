#ifndef AAREN_MODEL_ENGINE_CUDA_PROGRAM_H_
#define AAREN_MODEL_ENGINE_CUDA_PROGRAM_H_

// The kernel's orders (kernel.h): the network as a Program of a few dozen instructions, and one call's tokens. Plain
// values, shared by the host, the plug-in library and the kernel; pointers are into the device's memory.
//
// A block of threads takes a *tile* of up to 32 tokens through all instructions, with a barrier after each. Numbers of
// the tile lie in the block's shared memory, in *lines*: line i holds number i of every token, and threads of
// neighbouring tokens read side by side. A buffer is a run of lines, named by the first line.
//
// The tokens of a call lie in the order of their runs. Tokens of one row are side by side and in one block, and a run
// longer than a tile takes several tiles of the block. Hence no two blocks touch one row.

#include <cstddef>
#include <cstdint>

#include "model/math/scalar_operations.h"

// Attributes of the kernel's own functions.
#ifdef __CUDACC__
#define AAREN_KERNEL __device__ __forceinline__
#define AAREN_UNROLL _Pragma("unroll")  // keeps arrays in registers
#else
#define AAREN_KERNEL inline
#define AAREN_UNROLL
#endif

namespace aaren::engine {

// A place in the image, in bytes. The image holds all constants of a network in one piece.
using ImageOffset = uint64_t;

struct Instruction {
  enum Kind : int32_t {
    kLoadInput,      // the inputs of tokens become buffer `to`
    kLoadResiduals,  // the residuals of seasons become buffer `to`
    kMultiply,       // to := or += from W + b
    kNormalize,      // to := RMSNorm(from) gain
    kWeigh,          // scores `from` become shares; c and m of the rows go on
    kTurn,           // values `from` are folded by the shares, o of the rows goes on; to := the attention's output,
                     // gated by `gate`
    kStopIfOnlyFolds,
    kSoftplus,  // in place, but for the medians
    kSoftmax,   // in place, of each knot's logits
    kSpread,    // medians and gaps `to`, the skip `from` and the mixture of seasons become quantiles
    kWrite,     // quantiles `from` are written, in the units of the series
  };
  // The use of a product's outputs.
  enum Then : int32_t {
    kStore,
    kAdd,   // to the numbers there
    kGate,  // outputs 2 i and 2 i + 1 are a gate and a value: number i is silu(gate) value
  };

  Kind kind = kStopIfOnlyFolds;
  Then then = kStore;
  int32_t from = 0, to = 0, gate = 0;  // lines
  int32_t layer = 0;
  int32_t depth = 0, width = 0;       // a product's sizes; a norm's padded and true width
  int32_t halved = 0;                 // 1 if the weights are bfloat16
  ImageOffset weights = 0, bias = 0;  // [depth][width], float or the upper halves; float [width]. A norm's gain
  ImageOffset decay = 0;              // double [heads]
  ImageOffset cosine = 0, sine = 0;   // double [fold_every][value_width / 2]
};

// The place of a step ahead between knots.
struct KnotPlace {
  int32_t before, after;  // the first weights of both knots
  float share;            // the share of the knot after
};

// The sizes and buffers that the instructions share.
struct Program {
  const std::byte* image;  // on the device
  uint64_t image_bytes;
  ImageOffset instructions;  // Instruction [count]
  int32_t count;
  int32_t lines;         // lines of shared memory
  int32_t partials;      // a buffer of 16 lines, and one more
  int32_t input_width;   // U
  int32_t input_stride;  // floats from token to token; likewise the strides below
  int32_t heads, head_width;
  int32_t value_width;  // V, padded
  int32_t layer_doubles, state_doubles;
  int32_t horizon, levels;
  int32_t knots;  // 0: the network sees no seasons
  int32_t residual_width, residual_stride, standard_stride;
  int32_t logits, corrections;  // lines: [knots, 5] and [3, correction_lines]
  int32_t correction_lines;
  ImageOffset places;  // KnotPlace [horizon]
};

constexpr uint32_t kOnlyFolds = UINT32_MAX;
constexpr int kParts = 5;  // parts of a median: the skip and four sources

struct DeviceToken {
  double* state;  // the row's state: per layer o [V, padded], c [H], m [H]
  double center, scale;
  uint32_t forecast;  // the place among the call's forecasts, or kOnlyFolds
  uint16_t age;       // tokens since the last fold, this token counted
  uint16_t folds;
};

// Consecutive tokens of a call.
struct DeviceTile {
  uint32_t begin, count;
};

// Consecutive tiles.
struct DeviceBlock {
  uint32_t begin, count;
};

struct ForwardCall {
  Program program;
  const DeviceToken* tokens;
  const DeviceTile* tiles;
  const DeviceBlock* blocks;
  const float* inputs;     // [tokens, input_stride]
  const float* standard;   // [tokens, standard_stride], and the next: null without seasons
  const float* residuals;  // [tokens, residual_stride]
  float* forecasts;        // [forecasts, horizon * levels]
  uint32_t token_count, tile_count, block_count, forecast_count;
  int32_t tile_tokens;  // at most: 8, 16 or 32
  int32_t threads;      // threads of a block
};

// From one line to the next, in floats. Four more than the tokens, so that neighbouring lines lie in other banks.
AAREN_DEVICE constexpr int LineStride(int tile_tokens) { return tile_tokens + 4; }

// The shares, double [tokens, heads], then the lines.
AAREN_DEVICE constexpr uint64_t ShareBytes(const Program& program, int tile_tokens) {
  return sizeof(double) * static_cast<uint64_t>(program.heads) * static_cast<uint64_t>((tile_tokens + 1) / 2 * 2);
}
AAREN_DEVICE constexpr uint64_t SharedBytes(const Program& program, int tile_tokens) {
  return ShareBytes(program, tile_tokens) +
         sizeof(float) * static_cast<uint64_t>(program.lines) * static_cast<uint64_t>(LineStride(tile_tokens));
}

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_CUDA_PROGRAM_H_
