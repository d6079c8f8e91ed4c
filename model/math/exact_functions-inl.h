// The elementary functions of the exact tier (model/README.md, 12), over a policy of operations. A policy is Highway's
// vectors (exact_math-inl.h), or plain numbers of a CPU or a GPU (scalar_operations.h). All policies share one text, so
// the sequence of operations is the same.
//
// Each function is a fixed sequence of IEEE operations and fused multiply-adds, so every machine and vector width gives
// the same bits. The file is included inside the namespace of each policy, hence without an include guard. AAREN_EXACT
// is the attribute a function needs to be compiled for its target.
//
// A policy has the types Number and Whole (a signed integer of as many bits) and the static functions
//   Set, SetWhole; Add, Sub, Mul, Div, Sqrt, Fma = a b + c, MinusFma = c - a b; Min, Max; Abs, Neg, CopySign, Round
//   (ties to even); Less, AtLeast -> Mask; Select(mask, yes, no); ToWhole, ToNumber, Bits, FromBits; AddWhole,
//   SubWhole, ShiftLeft23, ShiftRight1, ShiftRight23 (arithmetic).

// ln 2 in two parts. The first part has few enough bits for an exact product with any exponent.
#define AAREN_LN2_HIGH 0x1.62e4p-1f
#define AAREN_LN2_LOW 0x1.7f7d1cp-20f

// 2^n for n in [-126, 127].
template <class Ops>
AAREN_EXACT typename Ops::Number PowerOfTwo(typename Ops::Whole n) {
  return Ops::FromBits(Ops::ShiftLeft23(Ops::AddWhole(n, Ops::SetWhole(127))));
}

// exp(x) = 2^n exp(r) with |r| <= ln 2 / 2. The Taylor series to r^7 leaves an error of 6e-9. Returns exp(r).
template <class Ops, class V = typename Ops::Number>
AAREN_EXACT V ReducedExpOf(V x, typename Ops::Whole& n) {
  const V rounded = Ops::Round(Ops::Mul(x, Ops::Set(0x1.715476p+0f)));
  n = Ops::ToWhole(rounded);
  V r = Ops::MinusFma(rounded, Ops::Set(AAREN_LN2_HIGH), x);
  r = Ops::MinusFma(rounded, Ops::Set(AAREN_LN2_LOW), r);
  V p = Ops::Set(1.0f / 5040.0f);
  p = Ops::Fma(p, r, Ops::Set(1.0f / 720.0f));
  p = Ops::Fma(p, r, Ops::Set(1.0f / 120.0f));
  p = Ops::Fma(p, r, Ops::Set(1.0f / 24.0f));
  p = Ops::Fma(p, r, Ops::Set(1.0f / 6.0f));
  p = Ops::Fma(p, r, Ops::Set(0.5f));
  p = Ops::Fma(Ops::Mul(r, r), p, r);
  return Ops::Add(p, Ops::Set(1.0f));
}

// exp(x); the result is zero where exp(x) is below the least normal float.
template <class Ops, class V = typename Ops::Number>
AAREN_EXACT V ExpOf(V x) {
  typename Ops::Whole n;
  const V p = ReducedExpOf<Ops>(Ops::Min(Ops::Max(x, Ops::Set(-87.5f)), Ops::Set(89.0f)), n);
  // The scaling takes two factors because n may be 128: 2^128 is no float, but the product may be a finite float or the
  // correct infinity.
  const auto half = Ops::ShiftRight1(n);
  const V scaled = Ops::Mul(Ops::Mul(p, PowerOfTwo<Ops>(half)), PowerOfTwo<Ops>(Ops::SubWhole(n, half)));
  return Ops::Select(Ops::AtLeast(x, Ops::Set(-87.33654f)), scaled, Ops::Set(0.0f));
}

// exp(x) for x <= 0, with the bits of ExpOf. One factor is enough because n is at least -126.
template <class Ops, class V = typename Ops::Number>
AAREN_EXACT V ExpOfNegative(V x) {
  typename Ops::Whole n;
  const V p = ReducedExpOf<Ops>(Ops::Max(x, Ops::Set(-87.5f)), n);
  const V scaled = Ops::Mul(p, PowerOfTwo<Ops>(n));
  return Ops::Select(Ops::AtLeast(x, Ops::Set(-87.33654f)), scaled, Ops::Set(0.0f));
}

// log(x) for normal x > 0. Let x = 2^n (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)], and s = f / (2 + f). Then log(1 + f)
// = 2 atanh(s) = f - s (f - R) with R = 2 (s^2 / 3 + s^4 / 5 + ...). The term f^2 / 2 is computed apart, so that f, the
// largest term, is added last and exactly.
template <class Ops, class V = typename Ops::Number>
AAREN_EXACT V LogOf(V x) {
  const auto bits = Ops::Bits(x);
  const auto n = Ops::ShiftRight23(Ops::SubWhole(bits, Ops::SetWhole(0x3f3504f3)));  // sqrt(1/2)
  const V f = Ops::Sub(Ops::FromBits(Ops::SubWhole(bits, Ops::ShiftLeft23(n))), Ops::Set(1.0f));
  const V s = Ops::Div(f, Ops::Add(f, Ops::Set(2.0f)));
  const V z = Ops::Mul(s, s);
  V r = Ops::Set(2.0f / 11.0f);
  r = Ops::Fma(r, z, Ops::Set(2.0f / 9.0f));
  r = Ops::Fma(r, z, Ops::Set(2.0f / 7.0f));
  r = Ops::Fma(r, z, Ops::Set(2.0f / 5.0f));
  r = Ops::Fma(r, z, Ops::Set(2.0f / 3.0f));
  const V half_square = Ops::Mul(Ops::Mul(f, f), Ops::Set(0.5f));
  const V exponent = Ops::ToNumber(n);
  const V low = Ops::Fma(exponent, Ops::Set(AAREN_LN2_LOW), Ops::Mul(s, Ops::Fma(r, z, half_square)));
  return Ops::Fma(exponent, Ops::Set(AAREN_LN2_HIGH), Ops::Sub(f, Ops::Sub(half_square, low)));
}

// The correction to log(sum) for the part of 1 + t that rounding to `sum` lost.
template <class Ops, class V = typename Ops::Number>
AAREN_EXACT V LostOf(V t, V sum) {
  return Ops::Div(Ops::Sub(t, Ops::Sub(sum, Ops::Set(1.0f))), sum);
}

// log(1 + t) for 0 <= t < 2^24.
template <class Ops, class V = typename Ops::Number>
AAREN_EXACT V Log1pOf(V t) {
  const V sum = Ops::Add(t, Ops::Set(1.0f));
  return Ops::Add(LogOf<Ops>(sum), LostOf<Ops>(t, sum));
}

template <class Ops, class V = typename Ops::Number>
AAREN_EXACT V SigmoidOf(V x) {
  const V e = ExpOfNegative<Ops>(Ops::Neg(Ops::Abs(x)));
  const V above = Ops::Div(Ops::Set(1.0f), Ops::Add(Ops::Set(1.0f), e));
  return Ops::Select(Ops::Less(x, Ops::Set(0.0f)), Ops::Mul(e, above), above);
}

template <class Ops, class V = typename Ops::Number>
AAREN_EXACT V SiluOf(V x) {
  return Ops::Mul(x, SigmoidOf<Ops>(x));
}

// log(1 + exp(x))
template <class Ops, class V = typename Ops::Number>
AAREN_EXACT V SoftplusOf(V x) {
  return Ops::Add(Ops::Max(x, Ops::Set(0.0f)), Log1pOf<Ops>(ExpOfNegative<Ops>(Ops::Neg(Ops::Abs(x)))));
}

// asinh(x) for finite x: log1p(a + a^2 / (1 + sqrt(1 + a^2))) with a = |x|. Above 1e4 the square may overflow; log(2a)
// differs from asinh(a) by less than an ulp there.
template <class Ops, class V = typename Ops::Number>
AAREN_EXACT V AsinhOf(V x) {
  const V one = Ops::Set(1.0f);
  const V a = Ops::Abs(x);
  const auto large = Ops::Less(Ops::Set(1e4f), a);
  const V b = Ops::Select(large, one, a);
  const V square = Ops::Mul(b, b);
  const V t = Ops::Add(b, Ops::Div(square, Ops::Add(one, Ops::Sqrt(Ops::Add(one, square)))));
  const V sum = Ops::Add(t, one);
  const V rest = Ops::Select(large, Ops::Set(0x1.62e43p-1f), LostOf<Ops>(t, sum));
  return Ops::CopySign(Ops::Add(LogOf<Ops>(Ops::Select(large, a, sum)), rest), x);
}

#undef AAREN_LN2_HIGH
#undef AAREN_LN2_LOW
