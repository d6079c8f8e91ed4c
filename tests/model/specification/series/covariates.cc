#include "tests/model/specification/series/covariates.h"

#include <algorithm>
#include <cmath>

namespace aaren::specification {

Covariates::Covariates(int past, int future, int D) : past(past), K(past + future), D(D) {
  for (int i = 0; i < K; ++i) S.emplace_back(i + 1, 0.0);
  b.resize(K, 0.0);
  m.resize(K, double{kMissing});
  effect.resize(K, 0.0);
  z.resize(D + 1, Vector(K, kMissing));
}

double Covariates::Take(int64_t t, const Vector& now) {
  double e = 0;
  const double rate = 1 / std::min(static_cast<double>(t) + 1, 1000.0);
  for (int i = 0; i < K; ++i) {
    const float value = Clamp(now[i], -1e30f, 1e30f);
    z[t % (D + 1)][i] = value;
    if (Missing(value)) continue;
    if (std::isnan(m[i])) m[i] = value;
    if (i >= past) e += effect[i] * (value - m[i]);
    m[i] += (value - m[i]) * rate;
  }
  return e;
}

void Covariates::Learn(int64_t t, float unit, const std::vector<Sample>& samples) {
  if (t < 2 * D - 1) return;
  const double keep = 1 - static_cast<double>(D) / 4000;
  for (std::vector<double>& row : S) {
    for (double& sum : row) sum *= keep;
  }
  for (double& sum : b) sum *= keep;
  W *= keep;
  R *= keep;
  for (const Sample& sample : samples) {
    if (sample.h <= D && !Missing(sample.y) && !Missing(sample.kept)) AddSample(t, unit, sample);
  }
  if (W > 0) Solve();
}

void Covariates::AddSample(int64_t t, float unit, const Sample& sample) {
  const double w = 1 / static_cast<double>(sample.h);
  const double error = Clamp((double{sample.y} - sample.kept) / unit, -4.0, 4.0);
  std::vector<double> u(K);
  double target = error, left = error;
  for (int i = 0; i < K; ++i) {
    const double before = Z(t - D, i);
    const double moved = i < past ? before - m[i] : Z(t - D + sample.h, i) - before;
    u[i] = std::isnan(moved) ? 0 : moved / unit;
    if (i < past) left -= effect[i] * u[i];
    if (i >= past) target += effect[i] * u[i];
  }
  for (int i = 0; i < K; ++i) {
    for (int j = 0; j <= i; ++j) S[i][j] = Clamp(S[i][j] + w * (u[i] * u[j]), -1e150, 1e150);
    b[i] = Clamp(b[i] + w * (u[i] * target), -1e150, 1e150);
  }
  W += w;
  R = std::min(R + w * (left * left), 1e150);
}

void Covariates::Solve() {
  std::vector<std::vector<double>> L(K, std::vector<double>(K, 0.0));
  for (int i = 0; i < K; ++i) {
    for (int j = 0; j <= i; ++j) {
      double sum = S[i][j];
      if (i == j) sum += S[i][i] * (4 / W);
      for (int k = 0; k < j; ++k) sum -= L[i][k] * L[j][k];
      if (i == j) L[i][i] = sum > 0 ? std::sqrt(sum) : 0;
      if (i != j && L[j][j] > 0) L[i][j] = sum / L[j][j];
    }
  }
  std::vector<double> y(K, 0.0), s(K, 0.0);
  for (int i = 0; i < K; ++i) {
    double sum = b[i];
    for (int k = 0; k < i; ++k) sum -= L[i][k] * y[k];
    if (L[i][i] > 0) y[i] = sum / L[i][i];
  }
  for (int i = K - 1; i >= 0; --i) {
    double sum = y[i];
    for (int k = i + 1; k < K; ++k) sum -= L[k][i] * s[k];
    if (L[i][i] > 0) s[i] = sum / L[i][i];
  }
  const double chance = 4 * (R / W);
  for (int i = 0; i < K; ++i) {
    const double evidence = s[i] * s[i] * S[i][i];
    const double trust = evidence > chance ? 1 - chance / evidence : 0;
    effect[i] += (trust * s[i] - effect[i]) * 0.25;
    if (!(std::fabs(effect[i]) <= 1e150)) effect[i] = 0;
  }
}

float Covariates::Effect(int64_t t, int64_t j, const Vector& ahead) const {
  const double near = static_cast<double>(D) / static_cast<double>(std::max<int64_t>(j, D));
  const auto away = [&](float value, int i) { return std::isnan(value - m[i]) ? 0 : value - m[i]; };
  double sum = 0;
  for (int i = 0; i < past; ++i) sum += near * (effect[i] * away(Z(t, i), i));
  for (int i = past; i < K; ++i) {
    const float given = Clamp(ahead[i - past], -1e30f, 1e30f);
    sum += effect[i] * away(Missing(given) ? Z(t, i) : given, i);
  }
  return ToFloat(sum);
}

}  // namespace aaren::specification
