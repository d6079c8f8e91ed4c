#include "tests/model/specification/arithmetic.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace aaren::specification {
namespace {

// 11.3-11.5, before the bias.
Vector Sums(const package::Tensor& weight, const Vector& x) {
  const size_t outputs = weight.shape[0], depth = weight.shape[1];
  Vector out(outputs);
  for (size_t n = 0; n < outputs; ++n) {
    const float* row = &weight.data[n * depth];
    for (size_t begin = 0; begin < depth; begin += 128) {
      float sum = 0;
      for (size_t k = begin; k < std::min(depth, begin + 128); ++k) sum = std::fma(x[k], row[k], sum);
      out[n] = begin == 0 ? sum : out[n] + sum;
    }
  }
  return out;
}

// Rounds to eight bits of precision, ties to even; a magnitude below `least` becomes 0.
float Half(double x, double least) {
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  const double half = std::ldexp(std::nearbyint(fraction * 256), exponent - 8);
  return std::fabs(half) < least ? 0.0f : static_cast<float>(Clamp(half, -0x1.fep127, 0x1.fep127));
}

// 14.2, 14.3
std::array<float, 2> Parts(float x) {
  const float upper = std::bit_cast<float>(std::bit_cast<uint32_t>(x) & 0xffff0000);
  return {std::fabs(upper) < 0x1p-60f ? 0.0f : upper, Half(double{x} - upper, 0x1p-60)};
}

// 14.4-14.6, before the bias.
Vector FastSums(const package::Tensor& weight, const Vector& x) {
  const size_t outputs = weight.shape[0], depth = weight.shape[1];
  Vector out(outputs);
  for (size_t n = 0; n < outputs; ++n) {
    float sums[2] = {}, chains[2][2] = {};  // by part; by part and parity of k
    for (size_t k = 0; k < depth; ++k) {
      const float w = Half(weight.data[n * depth + k], 0x1p-40);  // 14.1
      const std::array<float, 2> parts = Parts(x[k]);
      for (int i : {0, 1}) chains[i][k % 2] = std::fma(parts[i], w, chains[i][k % 2]);
      if (k % 32 != 31 && k + 1 < depth) continue;
      for (int i : {0, 1}) sums[i] += chains[i][0] + chains[i][1];
      std::fill_n(&chains[0][0], 4, 0.0f);
    }
    out[n] = sums[0] + sums[1];
  }
  return out;
}

}  // namespace

float ToFloat(double y) {
  const double most = std::numeric_limits<float>::max();
  return static_cast<float>(Clamp(y, -most, most));
}

float ToForecast(double y) {
  const float rounded = ToFloat(y);
  return std::fabs(rounded) < 1e-27f ? 0.0f : rounded;
}

float Shifted(float y, double distance) { return Missing(y) ? y : ToForecast(y - distance); }

void Order(int M, float* q, int Q) {
  for (int i = M + 1; i < Q; ++i) q[i] = std::max(q[i], q[i - 1]);
  for (int i = M - 1; i >= 0; --i) q[i] = std::min(q[i], q[i + 1]);
}

Vector Product(Tier tier, const package::Tensor& weight, const package::Tensor* bias, const Vector& x) {
  Vector out = tier == Tier::kFast ? FastSums(weight, x) : Sums(weight, x);
  for (size_t n = 0; n < out.size(); ++n) out[n] += bias != nullptr ? bias->data[n] : 0.0f;  // the sum turns -0 into +0
  return out;
}

Vector RmsNorm(const Vector& x, const package::Tensor& gain) {
  float partials[16] = {};
  for (size_t i = 0; i < x.size(); ++i) partials[i % 16] = std::fma(x[i], x[i], partials[i % 16]);
  const float k = 1.0f / std::sqrt(Join(partials) / static_cast<float>(x.size()) + 1e-6f);
  Vector out(x.size());
  for (size_t i = 0; i < x.size(); ++i) out[i] = (x[i] * k) * gain.data[i];
  return out;
}

}  // namespace aaren::specification
