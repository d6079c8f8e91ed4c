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

size_t AlertCount::Add(absl::Span<const float> surprises, absl::Span<const bool> learning) {
  size_t alerts = 0;
  for (size_t i = 0; i < surprises.size(); ++i) {
    if (std::isnan(surprises[i]) || !rule_.Judges(!learning.empty() && learning[i])) continue;
    ++values_;
    alerts += rule_.IsAlert(surprises[i]) ? 1 : 0;
  }
  alerts_ += alerts;
  return alerts;
}

std::string AlertCount::Summary() const {
  return absl::StrFormat("alerts: %d of %d values; the rate %g makes %.1f expected", alerts_, values_, rule_.rate(),
                         rule_.rate() * static_cast<double>(values_));
}

}  // namespace aaren::cli
