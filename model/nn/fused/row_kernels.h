#ifndef AAREN_MODEL_NN_FUSED_ROW_KERNELS_H_
#define AAREN_MODEL_NN_FUSED_ROW_KERNELS_H_

// The loops of the fused operations in this folder, each over one row of floats. They are vectors of whatever the CPU
// has. Sums come in an order that depends on its vectors' width: training promises the same bits on one machine only.
// Threading: any.

#include <cstddef>

namespace aaren::nn {

// out = x / rms * weight; returns 1 / rms, where rms^2 is the mean of x^2 plus `epsilon`.
float RmsNormRow(const float* x, const float* weight, size_t width, float epsilon, float* out);

// From `gradient` at the output and what RmsNormRow returned: the gradient at x, and adds that at the weight.
void RmsNormRowGradient(const float* gradient, const float* x, const float* weight, size_t width, float inverse_rms,
                        float* x_gradient, float* weight_gradient);

// out = silu(gate) * up.
void SiluTimes(const float* gate, const float* up, size_t count, float* out);
void SiluTimesGradient(const float* gradient, const float* gate, const float* up, size_t count, float* gate_gradient,
                       float* up_gradient);

// out = x * 2 sigmoid(gate).
void SigmoidTimes(const float* gate, const float* x, size_t count, float* out);
void SigmoidTimesGradient(const float* gradient, const float* gate, const float* x, size_t count, float* gate_gradient,
                          float* x_gradient);

// Each pair (2j, 2j + 1) turned by the angle whose cosine is at both places of `cosines`. `sines` has its sine, negated
// at 2j; `back` turns the other way. REQUIRES: width is even.
void TurnRow(const float* x, const float* cosines, const float* sines, size_t width, bool back, float* out);

}  // namespace aaren::nn

#endif  // AAREN_MODEL_NN_FUSED_ROW_KERNELS_H_
