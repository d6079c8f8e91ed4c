#ifndef AAREN_MODEL_MATH_DOUBLES_H_
#define AAREN_MODEL_MATH_DOUBLES_H_

// Elementary functions of one double with the same bits on every machine: sums, products, quotients and powers of two
// only, in a fixed order. The C library's functions differ in the last bits from machine to machine. Errors are a few
// ulp. Threading: free functions.

#include <cstddef>

namespace aaren::math {

double Log(double x);  // REQUIRES: x is normal and > 0
double Exp(double x);  // 0 below -700; for x above 700 the value at 700

// Log and Exp of each of `count` numbers, in vectors. `out` is `x`, or does not overlap `x`.
void Log(const double* x, size_t count, double* out);
void Exp(const double* x, size_t count, double* out);

struct Turned {
  double cosine, sine;
};
Turned Turn(double turns);  // the angle is 2 pi turns; REQUIRES: |turns| < 2^50

// Turn of each of `count` numbers, in vectors. REQUIRES: no array overlaps another.
void Turn(const double* turns, size_t count, double* cosine, double* sine);

}  // namespace aaren::math

#endif  // AAREN_MODEL_MATH_DOUBLES_H_
