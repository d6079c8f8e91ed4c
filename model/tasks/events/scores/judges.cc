#include "model/tasks/events/scores/judges.h"

#include <algorithm>
#include <cmath>

namespace aaren::events {
namespace {

constexpr double kLeastProbability = 1e-30;
constexpr size_t kSurpriseParts = 20;

}  // namespace

TimeJudge::TimeJudge(std::string name, double rounding) : rounding_(rounding), random_(1, 1) {
  score_.name = std::move(name);
  score_.surprises.resize(kSurpriseParts);
}

void TimeJudge::Judge(const IntervalForecast& forecast, double gap) {
  const double tie = forecast.Tie();
  const double likelihood = std::log(std::max(gap > 0 ? 1 - tie : tie, kLeastProbability));
  score_.nll -= likelihood + (gap > 0 ? forecast.LogDensity(gap) : 0);
  score_.binned -= likelihood + (gap > 0 ? Binned(forecast, gap) : 0);
  for (int i = 1; i < 10; ++i) {
    const double level = i / 10.0, miss = gap - forecast.IntervalAt(level);
    score_.wql += 2 * std::max(level * miss, (level - 1) * miss) / 9;
  }
  score_.inside += gap >= forecast.IntervalAt(0.1) && gap <= forecast.IntervalAt(0.9) ? 1 : 0;
  gaps_ += gap;
  // A rounded interval lies anywhere within its rounding, a tie anywhere within the ties.
  const double low = gap > 0 ? tie + (1 - tie) * forecast.Below(gap - rounding_ / 2) : 0;
  const double high = gap > 0 ? tie + (1 - tie) * forecast.Below(gap + rounding_ / 2) : tie;
  surprises_.push_back(low + (high - low) * random_.Uniform());
}

double TimeJudge::Binned(const IntervalForecast& forecast, double gap) const {
  if (!(rounding_ > 0) || gap <= rounding_ / 2) return forecast.LogDensity(gap);
  const double low = gap - rounding_ / 2, high = gap + rounding_ / 2;
  const double mass = forecast.Below(high) - forecast.Below(low);
  return std::log(std::max(mass, kLeastProbability)) - std::log(std::log(high / low));
}

TimeScore TimeJudge::Score() {
  const auto count = static_cast<double>(surprises_.size());
  TimeScore score = score_;
  score.nll /= count;
  score.binned /= count;
  score.wql /= gaps_;
  score.inside /= count;
  std::sort(surprises_.begin(), surprises_.end());
  for (size_t i = 0; i < surprises_.size(); ++i) {
    const double low = static_cast<double>(i) / count, high = static_cast<double>(i + 1) / count;
    score.ks = std::max({score.ks, surprises_[i] - low, high - surprises_[i]});
    const auto part = static_cast<size_t>(std::clamp(surprises_[i], 0.0, 1.0) * kSurpriseParts);
    score.surprises[std::min(part, kSurpriseParts - 1)] += 1 / count;
  }
  return score;
}

void MarkJudge::Judge(const MarkChance& chance) {
  score_.nll -= std::log(std::max(chance.probability, kLeastProbability));
  if (!chance.fresh && chance.probability >= chance.most) score_.accuracy += 1;
  ++events_;
}

}  // namespace aaren::events
