#include "client/cli/sources/system_source.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "client/cli/sources/time/timestamp.h"

namespace aaren::cli {
namespace {

// The number with the fewest digits that is this float: a rate has no more digits than a float.
double WithDigitsOf(float rate) {
  char digits[32];
  const char* end = std::to_chars(digits, digits + sizeof(digits), rate).ptr;
  double number = rate;
  std::from_chars(digits, end, number);
  return number;
}

}  // namespace

SystemSource::SystemSource(absl::Duration interval, const Interrupt& interrupt)
    : interval_(interval),
      interrupt_(interrupt),
      looked_at_(Interrupt::Clock::now()),
      next_(looked_at_ + absl::ToChronoNanoseconds(interval)) {}

absl::StatusOr<std::unique_ptr<SystemSource>> SystemSource::Open(const std::string& columns, absl::Duration interval,
                                                                 const Interrupt& interrupt) {
  // The kernel tells CPU time in ticks of 10 ms.
  if (interval < absl::Milliseconds(10) || interval > absl::Hours(24)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--interval=", absl::FormatDuration(interval), " is not between 10ms and 24h"));
  }
  const absl::StatusOr<SystemCounters> counters = ReadCounters();
  if (!counters.ok()) return counters.status();
  auto source = std::unique_ptr<SystemSource>(new SystemSource(interval, interrupt));
  source->counters_ = *counters;
  source->columns_ = columns.empty() ? RateNames() : absl::StrSplit(columns, ',');
  for (const std::string& column : source->columns_) {
    const auto found = std::find(RateNames().begin(), RateNames().end(), column);
    if (found == RateNames().end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--source=system has no column \"", column, "\"; there are ", absl::StrJoin(RateNames(), ", ")));
    }
    source->rates_of_columns_.push_back(static_cast<size_t>(found - RateNames().begin()));
  }
  return source;
}

absl::StatusOr<bool> SystemSource::Next(Row& row) {
  if (!interrupt_.WaitUntil(next_)) return absl::CancelledError("interrupted");
  const absl::StatusOr<SystemCounters> counters = ReadCounters();
  if (!counters.ok()) return counters.status();
  const Interrupt::Clock::time_point now = Interrupt::Clock::now();
  const std::vector<float> rates = Rates(counters_, *counters, absl::FromChrono(now - looked_at_));
  counters_ = *counters;
  looked_at_ = now;
  // Ticks stay on their grid; missed ticks are not made up for, and neither is a tick that would come at once.
  const std::chrono::nanoseconds interval = absl::ToChronoNanoseconds(interval_);
  next_ += interval * ((now - next_ + interval / 2) / interval + 1);
  row.values.clear();
  for (size_t rate : rates_of_columns_) row.values.push_back(WithDigitsOf(rates[rate]));
  row.time_ns = last_time_ns_ = std::max(last_time_ns_, absl::ToUnixNanos(absl::Now()));  // a clock may be set back
  row.time = FormatTimestamp(row.time_ns);
  return true;
}

}  // namespace aaren::cli
