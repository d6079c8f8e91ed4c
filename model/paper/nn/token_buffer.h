#ifndef AAREN_MODEL_PAPER_NN_TOKEN_BUFFER_H_
#define AAREN_MODEL_PAPER_NN_TOKEN_BUFFER_H_

// A token buffer is a tensor [*, capacity, D] whose first tokens are in use. Mixers that must remember every token keep
// keys and values, or inputs, in buffers. A full buffer grows by a quarter, so appending costs O(D) on average, and at
// most a quarter of the memory is unused.

#include <torch/types.h>

#include <cstdint>

namespace aaren::nn {

// A buffer without tokens and without memory: [*, 0, D].
torch::Tensor EmptyTokenBuffer(at::IntArrayRef leading_sizes, int64_t width, const torch::TensorOptions& options);

// Adds token [*, D] after the `tokens` tokens in use. A full buffer grows by a quarter, to 64 tokens at least.
void AppendToken(torch::Tensor& buffer, int64_t tokens, const torch::Tensor& token);

}  // namespace aaren::nn

#endif  // AAREN_MODEL_PAPER_NN_TOKEN_BUFFER_H_
