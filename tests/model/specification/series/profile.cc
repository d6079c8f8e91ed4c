#include "tests/model/specification/series/profile.h"

namespace aaren::specification {

void Profile::Choose(int A) {
  const int a = A > 336 ? Z : A;
  if (a == Z) {
    run = 0;
  } else if (a == candidate) {
    run = run == 30 ? 30 : run + 1;
  } else {
    run = 1;
  }
  candidate = static_cast<uint16_t>(a);
  if (Z == 0 && a != 0) run = 30;
}

void Profile::Begin(int64_t t) {
  const uint16_t season = candidate;
  *this = Profile();
  Z = season;
  if (Z > 0) behind = static_cast<uint16_t>(t < 1488 ? t : 1488);
}

void Profile::Take(int64_t t, float y) {
  if (Missing(y)) return;
  const int64_t i = t % Z;
  if (n < 8u * Z) ++n;
  l = static_cast<float>(l + (double{y} - l) / n);
  if (c[i] < 20) ++c[i];
  P[i] = ToForecast(P[i] + (double{y} - l - P[i]) / c[i]);
}

}  // namespace aaren::specification
