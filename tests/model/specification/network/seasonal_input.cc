#include "tests/model/specification/network/seasonal_input.h"

#include <algorithm>
#include <cmath>

#include "tests/model/specification/functions.h"
#include "tests/model/specification/series/sources.h"

namespace aaren::specification {
namespace {

// The value compared with x_(t-i): the value of `token`, one season before, or missing (10.3).
float SeasonBefore(const Series& series, int64_t token, int /*lag*/) {
  return SeasonalValue(series, token, {.token = token, .far = 0});
}

// 10.4
float SeasonsBefore(const Series& series, int64_t token, int lag) {
  const Standpoint from{.token = token, .far = 0};
  if (token < series.t - 1487) return kMissing;
  const float mean = MeanOfFour(series, token, lag, from);
  return Missing(mean) ? NewestSeasonal(series, token, lag, from) : mean;
}

Vector Residuals(const Series& series, int lag, Thinning thinning, double scale,
                 float (*before)(const Series&, int64_t, int)) {
  Vector residuals(48, kMissing);
  if (lag == 0) return residuals;
  const Standpoint from{series.t - thinning.since, series.far, thinning.every};
  for (int i = 0; i < 48; ++i) {
    const int64_t token = from.token - i * from.every;
    const float x = SeasonalValue(series, token, from);
    const float y = before(series, token - lag, lag);
    if (Missing(x) || Missing(y)) continue;
    residuals[i] = static_cast<float>(Clamp((x - y) / scale, -30.0, 30.0));  // 10.5
  }
  return residuals;
}

// 10.7, of the first `count`.
float LogSize(const Vector& residuals, int count) {
  double sum = 0;
  int present = 0;
  for (int i = 0; i < count; ++i) {
    if (Missing(residuals[i])) continue;
    sum += std::fabs(residuals[i]);
    ++present;
  }
  return present == 0 ? 0.0f : Log(static_cast<float>(sum / present + 0.01));
}

// Numbers 0 - 4 of 10.6, and 5 - 9.
std::array<float, 5> OfSeason(const LagErrors& errors, int lag, int64_t every, float e1) {
  if (lag == 0) return {};
  const std::optional<double> score = errors.Score(lag);
  const double e = score ? errors.Error(lag) : 0.0;
  std::array<float, 5> numbers = {Log(static_cast<float>(e + 0.01)), 0.0f,
                                  static_cast<float>(std::min(score.value_or(0), 100.0)),
                                  Log(static_cast<float>(lag / every)) / 7.0f, 1.0f};
  if (!Missing(e1)) numbers[1] = Log(static_cast<float>((e + 0.01) / (e1 + 0.01)));
  return numbers;
}

}  // namespace

SeasonalInput::SeasonalInput(const Series& series, const LagErrors& errors, Seasons seasons, Thinning thinning,
                             const Input& input, const SourcesOfSteps& sources) {
  for (const std::array<float, 4>& step : sources) {
    for (int k = 0; k < 4; ++k) Z[k].push_back(Clamp(ToFloat((step[k] - input.mu) / input.scale), -30.0f, 30.0f));
  }
  residuals = {Residuals(series, seasons.a, thinning, input.scale, SeasonBefore),
               Residuals(series, seasons.a, thinning, input.scale, SeasonsBefore),
               Residuals(series, seasons.b, thinning, input.scale, SeasonBefore)};
  const float e1 = errors.Believed(static_cast<int>(thinning.every));  // 2.19
  for (int lag : {seasons.a, seasons.b}) {
    const std::array<float, 5> five = OfSeason(errors, lag, thinning.every, e1);
    numbers.insert(numbers.end(), five.begin(), five.end());
  }
  numbers.push_back(Missing(e1) ? 0.0f : Log(static_cast<float>(e1 + 0.01)));
  for (const Vector& kind : residuals) {
    numbers.push_back(LogSize(kind, 48));
    numbers.push_back(LogSize(kind, 12));
  }
}

}  // namespace aaren::specification
