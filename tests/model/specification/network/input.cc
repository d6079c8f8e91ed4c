#include "tests/model/specification/network/input.h"

#include <algorithm>
#include <cmath>

#include "tests/model/specification/functions.h"

namespace aaren::specification {
namespace {

// A sum by 2.3, and the number of its terms.
struct Sum {
  void Add(size_t index, double term) {
    partials[index % 16] += term;
    ++count;
  }
  double Mean(double otherwise) const { return count == 0 ? otherwise : Join(partials) / count; }

  double partials[16] = {};
  int count = 0;
};

// 2.9
double Prior(uint32_t n, double mu) {
  return n <= 8 ? std::ldexp(0.1, 2 - 2 * std::max<int>(n, 1)) * std::fabs(mu) : 0.0;
}

// 2.20
double Alike(double var, double mad) {
  if (!(var > 0) || !(mad > 0)) return 0;
  const double r = Clamp(1 - 0.785 * (mad * mad) / var, 0.0, 1.0);
  return r * r;
}

// 2.21
float Bridged(const Vector& z, int i, double alike) {
  const int P = static_cast<int>(z.size());
  int a = 0, b = 0;
  while (i - a >= 0 && Missing(z[i - a])) ++a;
  while (i + b < P && Missing(z[i + b])) ++b;
  if (a == 0) return z[i];
  if (i - a < 0 || a + b > 4) return 0;
  const double before = z[i - a], after = i + b < P ? double{z[i + b]} : before;
  return static_cast<float>(alike * (before + (after - before) * (static_cast<double>(a) / (a + b))));
}

}  // namespace

Input::Input(const Series& series, Thinning thinning, int P) : u(P + 6) {
  Vector w(P, kMissing);
  for (int i = 0; i < P; ++i) {
    const int64_t token = series.t - thinning.since - (P - 1 - i) * thinning.every;  // 2.1, 2.2, 2.16
    if (token >= series.t - 1487) w[i] = series.Seen(token);
  }
  Sum values, squares, moves;
  float last = kMissing;
  for (int i = 0; i < P; ++i) {
    if (Missing(w[i])) continue;
    values.Add(i, w[i]);
    last = w[i];
  }
  mu = values.Mean(series.mean);
  for (int i = 0; i < P; ++i) {
    if (Missing(w[i])) continue;
    squares.Add(i, (w[i] - mu) * (w[i] - mu));
    if (i > 0 && !Missing(w[i - 1])) moves.Add(i, std::fabs(double{w[i]} - double{w[i - 1]}));
  }
  const double present = values.count / static_cast<double>(P);
  const double var = squares.Mean(0), mad = moves.Mean(0);
  const double variance =  // 2.8
      var > 0 && present >= 0.5 ? std::min(series.variance, 4 * var) : series.variance;
  const double prior = Prior(series.n, series.origin + mu);
  scale = (std::sqrt((var / 2 + variance / 2) + prior * prior) + 1e-7 * std::fabs(mu)) + 1e-30;

  Vector z(P, kMissing);
  for (int i = 0; i < P; ++i) {
    if (!Missing(w[i])) z[i] = ToFloat((w[i] - mu) / scale);
  }
  const double alike = Alike(var, mad);
  for (int i = 0; i < P; ++i) u[i] = Asinh(Bridged(z, i, alike));
  gap = 0;
  while (gap < P && Missing(w[P - 1 - gap])) ++gap;
  u[P] = Missing(last) ? 0.0f : Asinh(ToFloat((last - mu) / scale));
  u[P + 1] = Asinh(static_cast<float>(Clamp((series.mean - mu) / scale, -2.0, 2.0)));
  u[P + 2] = Log(static_cast<float>(std::sqrt(variance) / scale + 0.01));
  u[P + 3] = Log(static_cast<float>(mad / scale + 0.01));
  u[P + 4] = static_cast<float>(1 - present);
  u[P + 5] = Log(static_cast<float>(1.0 + series.n)) / 7.0f;
}

}  // namespace aaren::specification
