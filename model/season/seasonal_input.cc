#include "model/season/seasonal_input.h"

#include <algorithm>
#include <cmath>

namespace aaren::season {
namespace {

constexpr double kLeast = 0.01;   // added to an error before its logarithm
constexpr double kNothing = 1.0;  // whose logarithm is 0

// Writes the error, the error beside that at lag 1, the score, the lag, and whether there is a season.
void WriteSeason(const Season& season, float previous, double* out) {
  const bool exists = season.lag > 0;
  const double error = static_cast<double>(season.error) + kLeast;
  out[0] = exists ? error : kNothing;
  out[1] = exists && !std::isnan(previous) ? error / (static_cast<double>(previous) + kLeast) : kNothing;
  out[2] = season.score;
  out[3] = exists ? season.lag : kNothing;
  out[4] = exists ? 1.0 : 0.0;
}

// Of the mean size of those present.
double MeanSize(const float* residuals, size_t count) {
  double sum = 0.0;
  int present = 0;
  for (size_t i = 0; i < count; ++i) {
    if (std::isnan(residuals[i])) continue;
    sum += std::abs(residuals[i]);
    ++present;
  }
  return present > 0 ? sum / present + kLeast : kNothing;
}

}  // namespace

void WriteStandardResiduals(const Past& past, const SeasonChoice& choice, double scale, size_t count, float* out) {
  WriteResiduals(past, choice, count, out);
  for (size_t i = 0; i < kSeasonSources * count; ++i) {
    out[i] = static_cast<float>(std::clamp<double>(out[i] / scale, -kMostStandard, kMostStandard));  // NaN passes
  }
}

void StandardizeSources(const float* sources, size_t count, const math::Scaling& scaling, float* out) {
  for (size_t i = 0; i < count; ++i) {
    out[i] = std::clamp(scaling.Apply(sources[i]), -kMostStandard, kMostStandard);
  }
}

void WriteSeasonalNumbers(uint64_t seq, const LagErrors& errors, const SeasonChoice& choice, const float* residuals,
                          double* out) {
  const Seasons seasons = DescribeSeasons(seq, errors, choice);
  const float previous = errors.At(seq, 1);
  WriteSeason(seasons.first, previous, out);
  WriteSeason(seasons.second, previous, out + 5);
  out[10] = std::isnan(previous) ? kNothing : static_cast<double>(previous) + kLeast;
  for (size_t source = 0; source < kSeasonSources; ++source) {
    out[11 + 2 * source] = MeanSize(residuals + source * kJudgedResiduals, kJudgedResiduals);
    out[12 + 2 * source] = MeanSize(residuals + source * kJudgedResiduals, kNewestResiduals);
  }
}

}  // namespace aaren::season
