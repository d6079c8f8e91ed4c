#include "client/cli/stream/alert.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_format.h"

namespace aaren::cli {

bool AlertRule::IsAlert(float surprise) const {
  // A value may be too low or too high: each side has half of the rate.
  const double tail = std::min<double>(surprise, 1.0 - surprise);
  return tail < rate_ / 2;  // NaN is below nothing
}

size_t AlertCount::Add(absl::Span<const float> surprises) {
  const auto judged = [](float surprise) { return !std::isnan(surprise); };
  const auto is_alert = [this](float surprise) { return rule_.IsAlert(surprise); };
  const auto alerts = std::count_if(surprises.begin(), surprises.end(), is_alert);
  values_ += static_cast<uint64_t>(std::count_if(surprises.begin(), surprises.end(), judged));
  alerts_ += static_cast<uint64_t>(alerts);
  return static_cast<size_t>(alerts);
}

std::string AlertCount::Summary() const {
  return absl::StrFormat("alerts: %d of %d values; the rate %g makes %.1f expected", alerts_, values_, rule_.rate(),
                         rule_.rate() * static_cast<double>(values_));
}

}  // namespace aaren::cli
