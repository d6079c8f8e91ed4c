#ifndef AAREN_MODEL_NN_FUSED_ROW_KERNELS_H_
#define AAREN_MODEL_NN_FUSED_ROW_KERNELS_H_

// The loops of the fused operations in this folder, each over one row of floats, in vectors of the CPU's own width. The
// order of sums depends on that width, because training promises the same bits on one machine only. Threading: any.

#include <cstddef>

namespace aaren::nn {

// out = x / rms * weight; returns 1 / rms, where rms^2 is the mean of x^2 plus `epsilon`.
float RmsNormRow(const float* x, const float* weight, size_t width, float epsilon, float* out);

// Computes gradients from `gradient`, the gradient at the output, and the return value of RmsNormRow. Writes the
// gradient at x to x_gradient, and adds the gradient at the weight to weight_gradient.
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

// Turns each pair (2j, 2j + 1) by an angle. `cosines` has the angle's cosine at both places. `sines` has the sine,
// negated at 2j. `back` turns the other way. REQUIRES: width is even.
void TurnRow(const float* x, const float* cosines, const float* sines, size_t width, bool back, float* out);

}  // namespace aaren::nn

#endif  // AAREN_MODEL_NN_FUSED_ROW_KERNELS_H_
