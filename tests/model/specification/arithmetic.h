#ifndef AAREN_TESTS_MODEL_SPECIFICATION_ARITHMETIC_H_
#define AAREN_TESTS_MODEL_SPECIFICATION_ARITHMETIC_H_

// This folder is a second implementation of the streaming forecaster, written from the rules of model/README.md and not
// from the engine. Comments name the rules. The code is plain and scalar and shares nothing with model/engine. So both
// agree to the bit only if both keep to the rules. model/package reads the weights, and the lags are the bank of rule
// 1.28.
//
//   arithmetic, functions ◄── series, lag_errors, sources, seasonal_input, network, mixture, ... ◄── forecaster
//
// This file has rules 0.9-0.12 and sections 11 and 14. Letters (P, T, Q, ...) are the letters of rule 0.5.

#include <bit>
#include <cstdint>
#include <vector>

#include "model/package/package.h"

namespace aaren::specification {

using Vector = std::vector<float>;

inline const float kMissing = std::bit_cast<float>(uint32_t{0x7fc00000});  // 0.9
inline bool Missing(float x) { return x != x; }

float ToFloat(double y);                  // 0.10
float ToForecast(double y);               // 0.11
float Shifted(float y, double distance);  // 1.42
void Order(int M, float* q, int Q);       // 7.7

// 0.12
template <typename T>
T Clamp(T y, T least, T most) {
  return y < least ? least : (y > most ? most : y);
}

enum class Tier { kExact, kFast };

// 11.3-11.5, or 14.1-14.6 for the fast tier. Without a bias, the bias is 0 (3.2).
Vector Product(Tier tier, const package::Tensor& weight, const package::Tensor* bias, const Vector& x);

// 11.7: the end of a sum of 16 partials.
template <typename T>
T Join(const T (&p)[16]) {
  const T even = ((p[0] + p[8]) + (p[4] + p[12])) + ((p[2] + p[10]) + (p[6] + p[14]));
  const T odd = ((p[1] + p[9]) + (p[5] + p[13])) + ((p[3] + p[11]) + (p[7] + p[15]));
  return even + odd;
}

Vector RmsNorm(const Vector& x, const package::Tensor& gain);  // 11.8

}  // namespace aaren::specification

#endif  // AAREN_TESTS_MODEL_SPECIFICATION_ARITHMETIC_H_
