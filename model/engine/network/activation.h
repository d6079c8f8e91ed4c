#ifndef AAREN_MODEL_ENGINE_NETWORK_ACTIVATION_H_
#define AAREN_MODEL_ENGINE_NETWORK_ACTIVATION_H_

// Functions applied to every element of a vector, and the norm over one, in the exact tier's arithmetic
// (model/README.md). REQUIRES throughout: vectors are aligned to 64 bytes, `count` is a multiple of kLanes, and `out`
// is an input or apart from it.

#include <cstddef>

namespace aaren::engine {

void Exp(const float* x, size_t count, float* out);
void Log(const float* x, size_t count, float* out);  // of normal x > 0
void Asinh(const float* x, size_t count, float* out);
void Softplus(const float* x, size_t count, float* out);

// x += y, row by row.
void AddRows(const float* y, size_t y_stride, size_t rows, size_t count, float* x, size_t x_stride);

// out = silu(gate) * value
void GateBySilu(const float* gate, const float* value, size_t count, float* out);

// out = 2 sigmoid(gate) * value
void GateBySigmoid(const float* gate, const float* value, size_t count, float* out);

// out = gain * x / sqrt(mean of x^2 + 1e-6). The mean is over `width`; beyond it, x and gain are zero up to `count`.
void RmsNorm(const float* x, const float* gain, size_t width, size_t count, float* out);

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_NETWORK_ACTIVATION_H_
