#include "tests/model/specification/arithmetic.h"

#include <algorithm>
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

}  // namespace

float ToFloat(double y) {
  const double most = std::numeric_limits<float>::max();
  return static_cast<float>(Clamp(y, -most, most));
}

float ToForecast(double y) {
  const float rounded = ToFloat(y);
  return std::fabs(rounded) < 1e-27f ? 0.0f : rounded;
}

Vector Product(const package::Tensor& weight, const Vector& x) {
  Vector out = Sums(weight, x);
  for (float& sum : out) sum += 0.0f;  // 3.2: it makes +0 of -0
  return out;
}

Vector Product(const package::Tensor& weight, const package::Tensor& bias, const Vector& x) {
  Vector out = Sums(weight, x);
  for (size_t n = 0; n < out.size(); ++n) out[n] += bias.data[n];
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
