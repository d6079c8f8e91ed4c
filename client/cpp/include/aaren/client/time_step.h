#ifndef AAREN_CLIENT_TIME_STEP_H_
#define AAREN_CLIENT_TIME_STEP_H_

// A TimeStep is the time from one row of a regular series to the next. A step is a fixed time, or a number of months,
// whose lengths differ, or the way from one weekday to the next: Monday follows on Friday.
//
//   TimeStep::Parse("15m");                    // also 1s, 1h, 1d, 1w, 1mo, 3mo, 1y, weekday
//   TimeStep::Find({0, hour, 2 * hour, …});    // an hour
//
// Times are nanoseconds since 1970-01-01 UTC. Threading: plain values.

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace aaren::client {

struct TimeStep {
  enum class Unit { kNone, kNanoseconds, kMonths, kWeekdays };

  Unit unit = Unit::kNone;  // kNone: rows have no step and are counted as they come
  int64_t count = 0;        // how many units

  bool operator==(const TimeStep&) const = default;

  // INVALID_ARGUMENT for any other text. "none" has no unit.
  static absl::StatusOr<TimeStep> Parse(absl::string_view text);

  // A fixed time, such as Opened::step_ns; kNone if the time is not positive, or longer than ten years.
  static TimeStep OfNanoseconds(int64_t step_ns);

  // The step of rows with these times, which do not go back: the usual difference, if at least nine of ten differences
  // are whole multiples of the step, give or take a quarter, and at least half are the step itself. Times that repeat
  // tell nothing. kNone without a step.
  static TimeStep Find(absl::Span<const int64_t> times_ns);

  // The text that Parse reads, in the longest unit.
  std::string ToString() const;

  // About how long a step is; 0 for kNone.
  int64_t Nanoseconds() const;

  // How many steps lie between a time of the grid and any time. The time counts for the nearest step of the grid or,
  // with `within`, for the step around the time. REQUIRES: not kNone.
  int64_t Between(int64_t from_ns, int64_t time_ns, bool within) const;

  // The time `steps` ahead of a time of the grid. REQUIRES: not kNone.
  int64_t Ahead(int64_t from_ns, int64_t steps) const;

  // The time of the grid at or before a time, for a grid that has 1970-01-01. REQUIRES: not kNone.
  int64_t Begin(int64_t time_ns) const;
};

}  // namespace aaren::client

#endif  // AAREN_CLIENT_TIME_STEP_H_
