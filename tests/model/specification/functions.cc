#include "tests/model/specification/functions.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <initializer_list>

namespace aaren::specification {
namespace {

constexpr float kLnHigh = 0x1.62e4p-1f, kLnLow = 0x1.7f7d1cp-20f;

// 12.7
float Lost(float t, float u) { return (t - (u - 1.0f)) / u; }
float Log1p(float t) { return Log(t + 1.0f) + Lost(t, t + 1.0f); }

}  // namespace

float Exp(float x) {
  const float bounded = std::fmin(std::fmax(x, -87.5f), 89.0f);
  const float n = std::rint(bounded * 0x1.715476p+0f);
  const float r = std::fma(-n, kLnLow, std::fma(-n, kLnHigh, bounded));
  float y = 1.0f / 5040.0f;
  for (float factor : {1.0f / 720.0f, 1.0f / 120.0f, 1.0f / 24.0f, 1.0f / 6.0f, 0.5f}) y = std::fma(y, r, factor);
  y = std::fma(r * r, y, r);
  y = y + 1.0f;
  const int half = static_cast<int>(std::floor(n / 2.0f));
  const float power = (y * std::ldexp(1.0f, half)) * std::ldexp(1.0f, static_cast<int>(n) - half);
  return x >= -87.33654f ? power : 0.0f;
}

float Log(float x) {
  const int32_t bits = std::bit_cast<int32_t>(x);
  const int32_t n = (bits - 0x3f3504f3) >> 23;
  const float f = std::bit_cast<float>(bits - static_cast<int32_t>(static_cast<uint32_t>(n) << 23)) - 1.0f;
  const float s = f / (f + 2.0f), z = s * s;
  float y = 2.0f / 11.0f;
  for (float factor : {2.0f / 9.0f, 2.0f / 7.0f, 2.0f / 5.0f, 2.0f / 3.0f}) y = std::fma(y, z, factor);
  const float q = (f * f) * 0.5f, exponent = static_cast<float>(n);
  const float low = std::fma(exponent, kLnLow, s * std::fma(y, z, q));
  return std::fma(exponent, kLnHigh, f - (q - low));
}

float Sigmoid(float x) {
  const float e = Exp(-std::fabs(x)), y = 1.0f / (1.0f + e);
  return x < 0 ? e * y : y;
}

float Silu(float x) { return x * Sigmoid(x); }

float Softplus(float x) { return std::fmax(x, 0.0f) + Log1p(Exp(-std::fabs(x))); }

float Asinh(float x) {
  const float a = std::fabs(x);
  if (!(a <= 1e4f)) return std::copysign(Log(a) + 0x1.62e43p-1f, x);
  const float t = a + a * a / (1.0f + std::sqrt(1.0f + a * a)), u = t + 1.0f;
  return std::copysign(Log(u) + Lost(t, u), x);
}

}  // namespace aaren::specification
