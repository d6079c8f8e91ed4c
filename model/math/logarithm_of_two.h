#ifndef AAREN_MODEL_MATH_LOGARITHM_OF_TWO_H_
#define AAREN_MODEL_MATH_LOGARITHM_OF_TWO_H_

namespace aaren::math {

// ln 2 in two parts; the first has few enough bits for an exact product with any exponent.
inline constexpr double kLn2High = 0x1.62e42fee00000p-1, kLn2Low = 0x1.a39ef35793c76p-33;

}  // namespace aaren::math

#endif  // AAREN_MODEL_MATH_LOGARITHM_OF_TWO_H_
