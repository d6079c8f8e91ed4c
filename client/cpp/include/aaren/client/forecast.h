#ifndef AAREN_CLIENT_FORECAST_H_
#define AAREN_CLIENT_FORECAST_H_

// The inputs and outputs of a session: tokens and forecasts. Both are views of somebody else's arrays: nothing is
// copied on the way. Units: times are int64 nanoseconds since 1970-01-01 UTC; seq counts a session's tokens from 0.
// Threading: plain values.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/types/span.h"

namespace aaren::client {

// Consecutive tokens of a session. The spans are read before Send returns. Every batch of a session carries the same
// kinds of data. One token is written in place: {.values = {21.5f}, .times_ns = {time}}.
struct TokenBatch {
  absl::Span<const float> values = {};      // [n, channels], row-major; NaN = missing, never infinite
  absl::Span<const int64_t> times_ns = {};  // [n] or empty; may repeat, never go back
  absl::Span<const uint32_t> marks = {};    // [n] or empty; of events, which have no values
  // [n, horizons asked for, future covariates]: the covariates at these steps ahead; NaN: not known; empty: none known
  absl::Span<const float> future_values = {};
  bool silent = false;                      // fold without forecasting (backfill)
  absl::Span<const double> doubles = {};    // the values, where a float has too few digits; `values` is then empty
  absl::Span<const float> covariates = {};  // [n, past + future], past covariates first; NaN = missing
};

// The part of a forecast that only models of events have. The time to the next event is in Forecast::values: quantiles
// in seconds from the token's time, for one channel and one horizon.
struct EventForecast {
  absl::Span<const double> spans_s = {};  // EventOutput::spans_s
  absl::Span<const float> within = {};    // [spans]: probabilities that the next event comes within each span
  absl::Span<const uint32_t> marks = {};  // [EventOutput::marks], the likeliest first; event_marks.h has names
  absl::Span<const float> mark_probabilities = {};  // [marks]
};

// The reply to a token. Spans are valid until OnForecast returns.
struct Forecast {
  uint64_t seq = 0;                          // the token it was made after
  absl::Span<const float> values = {};       // [channels, horizons, quantiles], in the units of the series, or with
                                             // OutputOptions.relative beside `offsets`; NaN before the first value. A
                                             // classifier's: the probabilities of ModelInfo::Classes()
  absl::Span<const uint32_t> horizons = {};  // steps ahead, ascending
  absl::Span<const float> quantiles = {};    // levels, ascending
  absl::Span<const float> surprise = {};     // [channels] in [0, 1] or NaN; empty unless asked for
  std::optional<int64_t> time_ns = {};       // the token's; h steps ahead is time_ns + h * step_ns
  int64_t step_ns = 0;                       // 0 where no step is known yet
  absl::Span<const double> offsets = {};     // [channels] with OutputOptions.relative, else empty
  absl::Span<const bool> learning = {};  // [channels], or empty: the surprise is of a session that is still learning
  EventForecast event = {};              // empty, but for models of events

  // The forecast of `channel` for horizons[horizon] steps ahead at the level quantiles[quantile], in the units of the
  // series.
  double At(size_t channel, size_t horizon, size_t quantile) const {
    return Absolute(channel, values[(channel * horizons.size() + horizon) * quantiles.size() + quantile]);
  }

  // A number of `values` in the units of the series. The float next to -offset stands for 0.
  double Absolute(size_t channel, float value) const {
    if (offsets.empty()) return value;
    const double offset = offsets[channel];
    return value == static_cast<float>(0.0 - offset) ? 0.0 : offset + static_cast<double>(value);
  }

  // True while a surprise of `channel` says little: until a hundred values or a season came.
  bool IsLearning(size_t channel) const { return !learning.empty() && learning[channel]; }
};

}  // namespace aaren::client

#endif  // AAREN_CLIENT_FORECAST_H_
