#ifndef AAREN_MODEL_NN_MIXER_TOKEN_BUFFER_H_
#define AAREN_MODEL_NN_MIXER_TOKEN_BUFFER_H_

// A token buffer is a tensor [*, capacity, D] whose first tokens are in use, for what must remember every token: keys
// and values, or inputs that are read again. It grows by a quarter when full, so appending costs O(D) on average and at
// most a quarter of the memory waits unused.

#include <torch/types.h>

#include <cstdint>

namespace aaren::nn {

// No tokens, no memory: [*, 0, D].
torch::Tensor EmptyTokenBuffer(at::IntArrayRef leading_sizes, int64_t width, const torch::TensorOptions& options);

// Adds token [*, D] behind the `tokens` that are in use. A full buffer moves to one larger by a quarter, 64 at least.
void AppendToken(torch::Tensor& buffer, int64_t tokens, const torch::Tensor& token);

}  // namespace aaren::nn

#endif  // AAREN_MODEL_NN_MIXER_TOKEN_BUFFER_H_
