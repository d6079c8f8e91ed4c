#include "tests/model/specification/forecaster.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/model/specification/network/input.h"
#include "tests/model/specification/network/season_skip.h"
#include "tests/model/specification/refinement/surprise.h"

namespace aaren::specification {

Forecaster::Forecaster(const package::ModelPackage& package, Tier tier, Kind kind)
    : network_(package, tier),
      sizes_(network_.sizes()),
      series_(sizes_.N),
      mixture_(sizes_),
      calibration_(sizes_),
      package_(package),
      one_step_(sizes_.Q, kMissing),
      one_step_sources_{kMissing, kMissing, kMissing, kMissing} {
  if (kind.extended) far_.emplace(sizes_, kind.profile);
  if (kind.past + kind.future > 0) covariates_.emplace(kind.past, kind.future, sizes_.D);
  if (kind.profile) {
    profile_.emplace();
    std::vector<int> horizons;
    for (const std::vector<int>& octave : sizes_.judged) horizons.insert(horizons.end(), octave.begin(), octave.end());
    second_view_.emplace(sizes_, horizons, SecondView::Prior{0.4, 200, 1500});
  }
}

Reply Forecaster::Take(double value, bool wanted, Stage stage, const Selection& selection, const Beside& beside) {
  MoveOrigin();
  if (profile_ && profile_->run == 30) BeginView();
  if (rest_) CatchUp();
  const double v = Arriving(value), x = covariates_ ? Arriving(v - covariates_->Take(t_, beside.now)) : v;
  Reply reply = {.surprise = SurpriseOf(series_.Relative(x), stage)};
  TakeValue(v, x);
  std::fill(one_step_.begin(), one_step_.end(), kMissing);
  one_step_sources_.fill(kMissing);
  if (second_view_) second_view_->next = kMissing;

  const bool folds = (t_ + 1) % sizes_.S == 0, probe = (t_ + 1) % sizes_.D == 0 && series_.n > 0;
  const bool views = rest_ && profile_->behind == 0;
  if (views) TakeRest(t_, x);
  const bool far = probe || (wanted && !selection.steps.empty() && selection.steps.back() > uint32_t(sizes_.T));
  const Vector view = views ? View(probe || wanted) : Vector(), half = views ? Half(far) : Vector();
  if (folds || probe || wanted) {  // 1.38
    Outcome outcome = GoOn(probe, wanted);
    outcome.view = view;
    outcome.half = half;
    const Vector effects = Effects(selection, beside);
    if (probe) {
      const int64_t p = (t_ + 1) / sizes_.D - 1;
      const int64_t k = series_.FindThinning().every;
      LearnCovariates(p);
      mixture_.Judge(p, k, errors_.unit, outcome.forecast);
      Vector mixed = Mixed(outcome);
      if (second_view_) {
        Vector y, medians, views;
        for (const std::vector<int>& octave : sizes_.judged) {
          for (const int h : octave) {
            y.push_back(series_.Seen(t_ - sizes_.ProbesFor(h) * sizes_.D + h));
            medians.push_back(mixed[(h - 1) * sizes_.Q + sizes_.M]);
            if (!view.empty()) views.push_back(view[h - 1]);
          }
        }
        second_view_->Judge(p, errors_.unit, y, medians, views);
        mixed = Moved(outcome, mixed);
      }
      calibration_.Judge(p, k, series_, mixed);
      if (far_) far_->Judge(p, Near(mixed, outcome));
    }
    if (wanted) {
      reply.forecast = Vector(sizes_.T * sizes_.Q, kMissing);  // 5.8
      reply.selected = Vector(selection.steps.size() * selection.levels.size(), kMissing);
      reply.origin = series_.origin;
      reply.learning = IsLearning();
    }
    if (wanted && series_.n > 0) {
      std::copy_n(outcome.forecast.begin(), sizes_.Q, one_step_.begin());
      one_step_sources_ = outcome.sources[0];
      if (!view.empty()) second_view_->next = view[0];
      reply.forecast = Refined(outcome, stage);
      reply.selected = Selected(reply.forecast, outcome, selection, effects);
      if (stage == Stage::kRestricted) {
        if (!covariates_) support_.Restrict(series_, reply.forecast);  // 16.10
        support_.Restrict(series_, reply.selected);
      }
    }
  }
  if (rest_ && !views) ++profile_->behind;
  ++t_;
  return reply;
}

void Forecaster::MoveOrigin() {
  const double distance = series_.Move();
  if (distance == 0) return;
  for (float& q : one_step_) q = Shifted(q, distance);
  for (float& source : one_step_sources_) source = Shifted(source, distance);
  calibration_.Shift(distance);
  mixture_.Shift(distance);
  if (far_) far_->Shift(distance);
  if (!profile_) return;
  profile_->l = Shifted(profile_->l, distance);
  second_view_->Shift(distance);
}

void Forecaster::TakeValue(double v, double x) {
  series_.SetOrigin(x);
  support_.Take(series_, v, x);
  series_.Take(t_, series_.Relative(x));
  errors_.Take(series_, series_.Relative(x));
}

void Forecaster::TakeAsView(double value) {
  MoveOrigin();
  TakeValue(value, value);
  ++t_;
}

Vector Forecaster::PassAsView(bool folds, bool probe, bool needed) {
  Vector medians;
  --t_;  // the newest token
  probe = probe && series_.n > 0;
  if (folds || probe || needed) {
    const Outcome outcome = GoOn(probe, needed, folds);
    for (int j = 0; needed && j < sizes_.T; ++j) {
      medians.push_back(series_.n > 0 ? outcome.forecast[j * sizes_.Q + sizes_.M] : kMissing);
    }
  }
  ++t_;
  return medians;
}

void Forecaster::BeginView() {
  profile_->Begin(t_);
  rest_ = profile_->Z > 0 ? std::make_unique<Forecaster>(package_) : nullptr;
  half_ = profile_->Z > 0 ? std::make_unique<Forecaster>(package_) : nullptr;
}

void Forecaster::CatchUp() {
  for (int i = 0; i < 24 && profile_->behind > 0; ++i, --profile_->behind) {
    TakeRest(t_ - profile_->behind, series_.origin + double{series_.Seen(t_ - profile_->behind)});
    View(false);
    Half(false);
  }
}

void Forecaster::TakeRest(int64_t t, double v) {
  rest_->TakeAsView(Arriving(v - profile_->Of(t)));
  profile_->Take(t, series_.Reached(series_.Relative(v)));
  if (rest_->t_ % 2 != 0) return;
  const double a = rest_->series_.recent[(rest_->t_ - 2) % 48], b = rest_->series_.recent[(rest_->t_ - 1) % 48];
  const double mean = std::isnan(a) ? b : std::isnan(b) ? a : (a + b) / 2;
  half_->TakeAsView(Arriving(rest_->series_.origin + mean));
}

Vector Forecaster::View(bool needed) {
  Vector view = rest_->PassAsView(rest_->t_ % sizes_.S == 0, rest_->t_ % sizes_.D == 0, needed);
  for (size_t j = 0; j < view.size(); ++j) {
    if (Missing(view[j])) continue;
    const double distance = rest_->series_.origin - series_.origin;
    view[j] = ToForecast((distance + view[j]) + profile_->Of(t_ + 1 + static_cast<int64_t>(j)));
  }
  return view;
}

Vector Forecaster::Half(bool needed) {
  if (half_->t_ == 0) return {};
  const bool newest = rest_->t_ % 2 == 0;
  const Vector own =
      half_->PassAsView(!newest && half_->t_ % sizes_.S == 0, newest && half_->t_ % sizes_.D == 0, needed);
  Vector view(needed ? 1024 : 0, kMissing);
  for (int j = 1; j <= static_cast<int>(view.size()); ++j) {
    const int s = std::min((j + 1 + (newest ? 0 : 1)) / 2, sizes_.T);
    if (Missing(own[s - 1])) continue;
    const double distance = half_->series_.origin - series_.origin;
    view[j - 1] = ToForecast((distance + own[s - 1]) + profile_->Of(t_ + j));
  }
  return view;
}

Vector Forecaster::Moved(const Outcome& outcome, Vector mixed) const {
  for (int j = 1; j <= static_cast<int>(outcome.view.size()); ++j) {
    second_view_->Move(t_, j, errors_.unit, outcome.view[j - 1], &mixed[(j - 1) * sizes_.Q]);
  }
  return mixed;
}

bool Forecaster::IsLearning() const {
  if (series_.n >= 100) return false;
  const int a = mixture_.Chosen((t_ + 1) / sizes_.D - 1).a;
  if (a == 0 || t_ < 2 * a) return true;
  return !(static_cast<float>(errors_.Score(a).value_or(INFINITY)) < 0.5f);
}

float Forecaster::SurpriseOf(float x, Stage stage) const {
  Vector q = one_step_;
  if (Missing(q[0])) return kMissing;
  if (stage >= Stage::kMixed) mixture_.Mix(t_ - 1, 1, one_step_sources_, errors_.unit, q.data());
  if (stage >= Stage::kMixed && second_view_) {
    second_view_->Move(t_ - 1, 1, errors_.unit, second_view_->next, q.data());
  }
  if (stage >= Stage::kCalibrated) calibration_.Correct(1, q.data());
  const float surprise = Surprise(sizes_.a, q, x);
  if (!support_.IsFew() || Missing(surprise)) return surprise;
  const SurpriseRange range(series_, support_.span, x);
  return Clamp(surprise, range.least, range.most);
}

Forecaster::Outcome Forecaster::GoOn(bool probe, bool wanted, bool may_fold) {
  const Thinning thinning = series_.FindThinning();
  Input input(series_, thinning, sizes_.P);
  const int64_t p = (t_ + 1) / sizes_.D - 1;
  if (probe) {
    errors_.unit = static_cast<float>(Clamp(input.scale, double{1e-31f}, double{std::numeric_limits<float>::max()}));
    mixture_.Choose(p, series_, errors_);
    if (far_) far_->Choose(p, series_, mixture_.Chosen(p));
    if (profile_) profile_->Choose(mixture_.Chosen(p).a);
  }
  Seasons seasons = mixture_.Chosen(p);                                                    // 6.6
  for (int* lag : {&seasons.a, &seasons.b}) *lag = *lag % thinning.every == 0 ? *lag : 0;  // 2.18
  const Standpoint from{.token = t_ - thinning.since, .far = series_.far, .every = thinning.every};
  Outcome outcome = {.forecast = {}, .sources = {}, .seasons = seasons, .from = from, .thinning = thinning};
  for (int s = 1; s <= sizes_.T; ++s) {
    outcome.sources.push_back(Sources(series_, seasons, s * static_cast<int>(thinning.every), from));
  }
  const SeasonalInput seasonal(series_, errors_, seasons, thinning, input, outcome.sources);
  if (sizes_.seasons) input.u.insert(input.u.end(), seasonal.numbers.begin(), seasonal.numbers.end());

  const Vector x = network_.Forward(t_, thinning.every, input.u, may_fold);
  if (!probe && !wanted) return outcome;
  const Vector y = network_.Normed(x);
  Vector skip = network_.Product("head.skip", input.u);
  if (sizes_.seasons) skip = SeasonSkip(network_, skip, y, seasonal);
  outcome.forecast = network_.Quantiles(y, skip);
  for (float& q : outcome.forecast) q = ToForecast(input.mu + input.scale * q);  // 5.7
  if (series_.n > 0) Widen(input.gap, outcome.forecast);
  Spread(thinning, outcome);
  return outcome;
}

// 5.9
void Forecaster::Widen(int gap, Vector& forecast) const {
  const int Q = sizes_.Q, M = (Q - 1) / 2;
  const Vector q = forecast;
  for (int s = 0; s < sizes_.T && gap > 0; ++s) {
    const int from = std::min(s + gap, sizes_.T - 1);
    for (int i = 0; i < Q && from > s; ++i) {
      const float away = q[from * Q + i] - q[from * Q + M];
      forecast[s * Q + i] = ToForecast(q[s * Q + M] + away);
    }
  }
}

void Forecaster::Spread(Thinning thinning, Outcome& outcome) const {
  const Outcome places = outcome;
  for (int j = 1; j <= sizes_.T; ++j) {
    const int64_t s = thinning.StepOf(j) - 1;
    outcome.sources[j - 1] = places.sources[s];
    std::copy_n(&places.forecast[s * sizes_.Q], sizes_.Q, &outcome.forecast[(j - 1) * sizes_.Q]);
  }
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
  Vector forecast = Moved(outcome, Mixed(outcome));
  if (stage == Stage::kMixed) return forecast;
  for (int j = 1; j <= sizes_.T; ++j) calibration_.Correct(j, &forecast[(j - 1) * sizes_.Q]);
  return forecast;
}

NearForecast Forecaster::Near(const Vector& forecast, const Outcome& outcome) const {
  return {forecast, outcome.sources, mixture_.E.back(), errors_.unit, static_cast<float>(series_.mean), outcome.half};
}

Vector Forecaster::Selected(const Vector& forecast, const Outcome& outcome, const Selection& selection,
                            const Vector& effects) const {
  Vector selected;
  for (size_t k = 0; k < selection.steps.size(); ++k) {
    const int64_t step = selection.steps[k];
    Vector q;
    if (step <= sizes_.T) {
      q.assign(forecast.begin() + (step - 1) * sizes_.Q, forecast.begin() + step * sizes_.Q);
    } else {  // 15.15
      const int ahead = static_cast<int>(outcome.thinning.StepOf(step) * outcome.thinning.every);
      q = far_->Quantiles(t_, Near(forecast, outcome), static_cast<int>(step),
                          Sources(series_, outcome.seasons, ahead, outcome.from));
    }
    for (const float level : selection.levels) {
      selected.push_back(QuantileOf(sizes_.a, q, level));
      if (covariates_) selected.back() = ToForecast(double{selected.back()} + effects[k]);
    }
  }
  return selected;
}

Vector Forecaster::Effects(const Selection& selection, const Beside& beside) const {
  Vector effects;
  for (size_t k = 0; k < selection.steps.size() && covariates_; ++k) {
    const size_t future = covariates_->K - covariates_->past;
    const auto ahead = beside.ahead.begin() + k * future;
    effects.push_back(covariates_->Effect(t_, selection.steps[k], {ahead, ahead + future}));
  }
  return effects;
}

void Forecaster::LearnCovariates(int64_t p) {
  if (!covariates_) return;
  std::vector<Covariates::Sample> samples;
  for (size_t octave = 0; octave < sizes_.judged.size(); ++octave) {
    for (size_t i = 0; i < sizes_.judged[octave].size(); ++i) {
      const int h = sizes_.judged[octave][i];
      const Vector& places = mixture_.medians[octave][i];
      samples.push_back({h, series_.Seen(t_ - sizes_.D + h), places[p % places.size()]});
    }
  }
  covariates_->Learn(t_, errors_.unit, samples);
}

}  // namespace aaren::specification
