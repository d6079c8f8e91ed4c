#ifndef AAREN_MODEL_ENGINE_NETWORK_ACTIVATION_H_
#define AAREN_MODEL_ENGINE_NETWORK_ACTIVATION_H_

// Functions of every element of a vector, and the norm of a vector, in the exact tier's arithmetic (model/README.md, 11
// and 12). REQUIRES throughout: vectors are aligned to 64 bytes, `count` is a multiple of kLanes, and `out` equals an
// input or overlaps none.

#include <cstddef>

namespace aaren::engine {

void Exp(const float* x, size_t count, float* out);
void Log(const float* x, size_t count, float* out);  // REQUIRES: every x is normal and > 0
void Asinh(const float* x, size_t count, float* out);
void Softplus(const float* x, size_t count, float* out);

// x += y, for each of `rows` rows. Rows of y are y_stride floats apart, rows of x x_stride.
void AddRows(const float* y, size_t y_stride, size_t rows, size_t count, float* x, size_t x_stride);

// out = silu(gate) * value
void GateBySilu(const float* gate, const float* value, size_t count, float* out);

// out = 2 sigmoid(gate) * value
void GateBySigmoid(const float* gate, const float* value, size_t count, float* out);

// out = gain * x / sqrt(mean of x^2 + 1e-6). The mean is over `width` numbers. REQUIRES: x and gain are zero from
// `width` up to `count`.
void RmsNorm(const float* x, const float* gain, size_t width, size_t count, float* out);

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_NETWORK_ACTIVATION_H_
