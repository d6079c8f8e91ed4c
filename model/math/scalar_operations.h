#ifndef AAREN_MODEL_MATH_SCALAR_OPERATIONS_H_
#define AAREN_MODEL_MATH_SCALAR_OPERATIONS_H_

// The exact tier's operations on single numbers, and the elementary functions over these operations. The code is
// compiled for a GPU and, in tests, for the CPU. On a GPU each operation is an intrinsic that rounds once to nearest,
// so that no compiler fuses two operations. On a CPU the flag -ffp-contract=off keeps operations apart.
//
// Min and Max compare and select. Subnormal numbers are kept: compile with -ftz=false. Threading: free functions.

#include <cstdint>
#include <cstring>

#ifdef __CUDACC__
#define AAREN_DEVICE __host__ __device__ __forceinline__
#else
#define AAREN_DEVICE inline
#endif

namespace aaren::math {

struct ScalarOperations {
  using Number = float;
  using Whole = int32_t;
  using Mask = bool;

  static AAREN_DEVICE float Set(float value) { return value; }
  static AAREN_DEVICE Mask Less(float a, float b) { return a < b; }
  static AAREN_DEVICE Mask Less(double a, double b) { return a < b; }
  static AAREN_DEVICE Mask AtLeast(float a, float b) { return a >= b; }
  static AAREN_DEVICE float Select(Mask mask, float yes, float no) { return mask ? yes : no; }
  static AAREN_DEVICE float Min(float a, float b) { return a < b ? a : b; }
  static AAREN_DEVICE float Max(float a, float b) { return a > b ? a : b; }
  static AAREN_DEVICE float Abs(float a) { return FromBits(Bits(a) & 0x7fffffff); }
  static AAREN_DEVICE float Neg(float a) { return -a; }
  static AAREN_DEVICE float CopySign(float a, float sign) {
    return FromBits((Bits(a) & 0x7fffffff) | (Bits(sign) & static_cast<Whole>(0x80000000u)));
  }

#ifdef __CUDA_ARCH__
  static AAREN_DEVICE float Add(float a, float b) { return __fadd_rn(a, b); }
  static AAREN_DEVICE float Sub(float a, float b) { return __fsub_rn(a, b); }
  static AAREN_DEVICE float Mul(float a, float b) { return __fmul_rn(a, b); }
  static AAREN_DEVICE float Div(float a, float b) { return __fdiv_rn(a, b); }
  static AAREN_DEVICE float Sqrt(float a) { return __fsqrt_rn(a); }
  static AAREN_DEVICE float Fma(float a, float b, float c) { return __fmaf_rn(a, b, c); }
  static AAREN_DEVICE float Round(float a) { return rintf(a); }
  static AAREN_DEVICE double Add(double a, double b) { return __dadd_rn(a, b); }
  static AAREN_DEVICE double Sub(double a, double b) { return __dsub_rn(a, b); }
  static AAREN_DEVICE double Mul(double a, double b) { return __dmul_rn(a, b); }
  static AAREN_DEVICE double Div(double a, double b) { return __ddiv_rn(a, b); }
  static AAREN_DEVICE float ToFloat(double a) { return __double2float_rn(a); }
  static AAREN_DEVICE Whole ToWhole(float a) { return __float2int_rn(a); }
  static AAREN_DEVICE float ToNumber(Whole a) { return __int2float_rn(a); }
  static AAREN_DEVICE Whole Bits(float a) { return __float_as_int(a); }
  static AAREN_DEVICE float FromBits(Whole a) { return __int_as_float(a); }
#else
  static AAREN_DEVICE float Add(float a, float b) { return a + b; }
  static AAREN_DEVICE float Sub(float a, float b) { return a - b; }
  static AAREN_DEVICE float Mul(float a, float b) { return a * b; }
  static AAREN_DEVICE float Div(float a, float b) { return a / b; }
  static AAREN_DEVICE float Sqrt(float a) { return __builtin_sqrtf(a); }
  static AAREN_DEVICE float Fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
  static AAREN_DEVICE float Round(float a) { return __builtin_rintf(a); }
  static AAREN_DEVICE double Add(double a, double b) { return a + b; }
  static AAREN_DEVICE double Sub(double a, double b) { return a - b; }
  static AAREN_DEVICE double Mul(double a, double b) { return a * b; }
  static AAREN_DEVICE double Div(double a, double b) { return a / b; }
  static AAREN_DEVICE float ToFloat(double a) { return static_cast<float>(a); }
  static AAREN_DEVICE Whole ToWhole(float a) { return static_cast<Whole>(a); }  // REQUIRES: a is a whole number
  static AAREN_DEVICE float ToNumber(Whole a) { return static_cast<float>(a); }
  static AAREN_DEVICE Whole Bits(float a) {
    Whole bits;
    std::memcpy(&bits, &a, sizeof(bits));
    return bits;
  }
  static AAREN_DEVICE float FromBits(Whole a) {
    float number;
    std::memcpy(&number, &a, sizeof(number));
    return number;
  }
#endif

  static AAREN_DEVICE float MinusFma(float a, float b, float c) { return Fma(-a, b, c); }
  static AAREN_DEVICE Whole SetWhole(int32_t value) { return value; }
  static AAREN_DEVICE Whole AddWhole(Whole a, Whole b) { return a + b; }
  static AAREN_DEVICE Whole SubWhole(Whole a, Whole b) { return a - b; }
  static AAREN_DEVICE Whole ShiftLeft23(Whole a) { return static_cast<Whole>(static_cast<uint32_t>(a) << 23); }
  static AAREN_DEVICE Whole ShiftRight1(Whole a) { return a >> 1; }
  static AAREN_DEVICE Whole ShiftRight23(Whole a) { return a >> 23; }
};

namespace scalar {

#define AAREN_EXACT AAREN_DEVICE
#include "model/math/exact_functions-inl.h"
#undef AAREN_EXACT

}  // namespace scalar
}  // namespace aaren::math

#endif  // AAREN_MODEL_MATH_SCALAR_OPERATIONS_H_
