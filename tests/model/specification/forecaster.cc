#include "tests/model/specification/forecaster.h"

#include <algorithm>
#include <limits>

#include "tests/model/specification/network/input.h"
#include "tests/model/specification/network/season_skip.h"
#include "tests/model/specification/refinement/surprise.h"
#include "tests/model/specification/series/sources.h"

namespace aaren::specification {

Forecaster::Forecaster(const package::ModelPackage& package, Tier tier)
    : network_(package, tier),
      sizes_(network_.sizes()),
      series_(sizes_.N),
      mixture_(sizes_),
      calibration_(sizes_),
      one_step_(sizes_.Q, kMissing),
      one_step_sources_{kMissing, kMissing, kMissing, kMissing} {}

Reply Forecaster::Take(float value, bool wanted, Stage stage) {
  const float x = Arriving(value);
  Reply reply = {.surprise = SurpriseOf(x, stage), .forecast = {}};
  support_.Take(series_, x);
  series_.Take(t_, x);
  errors_.Take(series_, x);
  std::fill(one_step_.begin(), one_step_.end(), kMissing);
  one_step_sources_.fill(kMissing);

  const bool folds = (t_ + 1) % sizes_.S == 0, probe = (t_ + 1) % sizes_.D == 0;
  if (folds || probe || wanted) {  // 1.38
    const Outcome outcome = GoOn(probe, wanted);
    if (probe) {
      const int64_t p = (t_ + 1) / sizes_.D - 1;
      mixture_.Judge(p, errors_.unit, outcome.forecast);
      calibration_.Judge(p, series_, Mixed(outcome));
    }
    if (wanted) {
      std::copy_n(outcome.forecast.begin(), sizes_.Q, one_step_.begin());
      one_step_sources_ = outcome.sources[0];
      reply.forecast = Refined(outcome, stage);
    }
  }
  ++t_;
  return reply;
}

float Forecaster::SurpriseOf(float x, Stage stage) const {
  Vector q = one_step_;
  if (Missing(q[0])) return kMissing;
  if (stage >= Stage::kMixed) mixture_.Mix(t_ - 1, 1, one_step_sources_, errors_.unit, q.data());
  if (stage >= Stage::kCalibrated) calibration_.Correct(1, q.data());
  return Surprise(sizes_.a, q, x);
}

Forecaster::Outcome Forecaster::GoOn(bool probe, bool wanted) {
  Input input(series_, sizes_.P);
  const int64_t p = (t_ + 1) / sizes_.D - 1;
  if (probe) {
    errors_.unit = static_cast<float>(Clamp(input.scale, double{1e-31f}, double{std::numeric_limits<float>::max()}));
    mixture_.Choose(p, series_, errors_);
  }
  const Seasons seasons = mixture_.Chosen(p);  // 6.6
  Outcome outcome;
  for (int j = 1; j <= sizes_.T; ++j) {
    outcome.sources.push_back(Sources(series_, seasons, j, {.token = t_, .far = series_.far}));
  }
  const SeasonalInput seasonal(series_, errors_, seasons, input, outcome.sources);
  if (sizes_.seasons) input.u.insert(input.u.end(), seasonal.numbers.begin(), seasonal.numbers.end());

  const Vector x = network_.Forward(t_, input.u);
  if (!probe && !wanted) return outcome;
  const Vector y = network_.Normed(x);
  Vector skip = network_.Product("head.skip", input.u);
  if (sizes_.seasons) skip = SeasonSkip(network_, skip, y, seasonal);
  outcome.forecast = network_.Quantiles(y, skip);
  for (float& q : outcome.forecast) q = ToForecast(input.mu + input.scale * q);  // 5.7
  return outcome;
}

Vector Forecaster::Mixed(const Outcome& outcome) const {
  Vector forecast = outcome.forecast;
  for (int j = 1; j <= sizes_.T; ++j) {
    mixture_.Mix(t_, j, outcome.sources[j - 1], errors_.unit, &forecast[(j - 1) * sizes_.Q]);
  }
  return forecast;
}

Vector Forecaster::Refined(const Outcome& outcome, Stage stage) const {
  if (stage == Stage::kNetwork) return outcome.forecast;
  Vector forecast = Mixed(outcome);
  if (stage == Stage::kMixed) return forecast;
  for (int j = 1; j <= sizes_.T; ++j) calibration_.Correct(j, &forecast[(j - 1) * sizes_.Q]);
  if (stage == Stage::kRestricted) support_.Restrict(series_, forecast);
  return forecast;
}

}  // namespace aaren::specification
