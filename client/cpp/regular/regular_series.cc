#include "aaren/client/regular_series.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "absl/time/civil_time.h"
#include "absl/time/time.h"

namespace aaren::client {
namespace {

constexpr int64_t kHour = 3'600'000'000'000;
constexpr int64_t kDate = 24 * kHour;
// A change of clocks is looked for from midnight to this hour.
constexpr int kLastHourOfChange = 4;
// An eighth lets the grid follow a drifting clock, and takes little notice of one row's jitter.
constexpr int64_t kFollow = 8;  // the part of a row's distance from the grid by which the grid follows
constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

// Clocks are changed in the night to a Sunday. Europe, America and the south each have their weeks.
struct Week {
  int month, first_day;
};
constexpr Week kEndsOfSummer[] = {{10, 25}, {11, 1}, {4, 1}};
constexpr Week kBeginsOfSummer[] = {{3, 25}, {3, 8}, {9, 24}, {10, 1}};

template <size_t n>
bool IsNightOf(const Week (&weeks)[n], int64_t time_ns) {
  const absl::CivilSecond civil = absl::ToCivilSecond(absl::FromUnixNanos(time_ns), absl::UTCTimeZone());
  if (absl::GetWeekday(civil) != absl::Weekday::sunday || civil.hour() > kLastHourOfChange) return false;
  return std::any_of(std::begin(weeks), std::end(weeks), [&](const Week& week) {
    return civil.month() == week.month && civil.day() >= week.first_day && civil.day() < week.first_day + 7;
  });
}

}  // namespace

void RegularSeries::GoOnBehind(int64_t time_ns) {
  grid_ns_ = given_ns_ = time_ns;
  seen_ns_ = time_ns;
}

Placed RegularSeries::Add(int64_t time_ns, absl::Span<const double> values, std::string label) {
  const Placed placed = AddUncounted(time_ns, values, std::move(label));
  counts_.joined += placed == Placed::kJoined ? 1 : 0;
  counts_.repeated += placed == Placed::kRepeated ? 1 : 0;
  counts_.late += placed == Placed::kLate ? 1 : 0;
  // A held row may have a wrong clock, and tells nothing of summer time.
  if (placed != Placed::kHeld) seen_ns_ = time_ns;
  return placed;
}

Placed RegularSeries::AddUncounted(int64_t time_ns, absl::Span<const double> values, std::string label) {
  if (options_.step.unit == TimeStep::Unit::kNone) {
    if (given_ns_ && time_ns < *given_ns_) return Placed::kLate;
    grid_ns_ = given_ns_ = time_ns;
    ++counts_.rows;
    ready_.push_back({time_ns, {values.begin(), values.end()}, std::move(label), false});
    return Placed::kTaken;
  }
  if (!grid_ns_) Anchor(time_ns);
  if (options_.local_times) FollowSummerTime(time_ns);
  const int64_t steps = options_.step.Between(GridFor(time_ns), time_ns, options_.within_step);
  if (steps > static_cast<int64_t>(slots_.size() + options_.longest_gap))
    return AddFar(time_ns, values, std::move(label));
  // This row does not agree with the row far ahead, whose clock was wrong.
  if (std::exchange(far_, std::nullopt)) ++counts_.odd;
  return Put(steps, time_ns, values, std::move(label));
}

// One row far ahead may have a wrong clock, two have not.
Placed RegularSeries::AddFar(int64_t time_ns, absl::Span<const double> values, std::string label) {
  if (far_) {
    const int64_t steps = options_.step.Between(far_->time_ns, time_ns, options_.within_step);
    if (steps >= 0 && steps <= static_cast<int64_t>(options_.longest_gap)) {
      const Row first = *std::exchange(far_, std::nullopt);
      // No row of the time before the gap is expected any more.
      PassTo(0);
      Anchor(first.time_ns);
      ++counts_.long_gaps;
      Put(1, first.time_ns, first.values, first.label);
      return AddUncounted(time_ns, values, std::move(label));
    }
    ++counts_.odd;
  }
  far_ = Row{time_ns, {values.begin(), values.end()}, std::move(label)};
  return Placed::kHeld;
}

Placed RegularSeries::Put(int64_t steps, int64_t time_ns, absl::Span<const double> values, std::string label) {
  if (steps <= 0) return steps == 0 ? Placed::kRepeated : Placed::kLate;
  // Steps without a row become slots, too: missing values, unless a late row comes.
  if (static_cast<size_t>(steps) > slots_.size()) slots_.resize(static_cast<size_t>(steps), {.clock_ns = clock_ns_});
  Slot& slot = slots_[static_cast<size_t>(steps - 1)];
  const bool first = !std::exchange(slot.taken, true);
  if (first) {
    slot.time_ns = time_ns;
    slot.off_ns = time_ns - options_.step.Ahead(GridFor(time_ns), steps) + followed_ns_;
    slot.values.assign(channels_, kNothing);
    slot.counts.assign(channels_, 0);
    // Where a step has several rows, the label of the first would stand for all.
    if (!options_.within_step) slot.label = std::move(label);
  } else if (slot.label != label) {
    slot.label.clear();
  }
  Join(slot, values);
  Pass();
  return first ? Placed::kTaken : Placed::kJoined;
}

void RegularSeries::Join(Slot& slot, absl::Span<const double> values) {
  for (size_t i = 0; i < channels_; ++i) {
    if (std::isnan(values[i])) continue;
    double& value = slot.values[i];
    const uint32_t count = slot.counts[i]++;
    const bool covariate = i + options_.covariates >= channels_;
    // The sum of two prices, temperatures or holidays says nothing.
    const Aggregate aggregate =
        covariate && options_.aggregate == Aggregate::kSum ? Aggregate::kMean : options_.aggregate;
    if (count == 0 || aggregate == Aggregate::kLast) {
      value = values[i];
    } else if (aggregate == Aggregate::kSum) {
      value += values[i];
    } else if (aggregate == Aggregate::kMean) {
      // The mean so far needs no sum beside the count.
      value += (values[i] - value) / (count + 1);
    } else if (aggregate == Aggregate::kMax) {
      value = std::max(value, values[i]);
    }
  }
}

// The grid begins with the step of this row.
void RegularSeries::Anchor(int64_t time_ns) {
  const int64_t begin = options_.within_step ? options_.step.Begin(time_ns) : time_ns;
  // The grid stands at the step that passed last: a step before the row.
  grid_ns_ = options_.step.Ahead(begin, -1);
  clock_ns_ = clock_before_ns_ = 0;
}

// The grid goes on evenly where the clock is set back or forward: times of later rows are read by the new clock.
void RegularSeries::FollowSummerTime(int64_t time_ns) {
  const int64_t step = options_.step.Nanoseconds();
  // A change of an hour shows in steps up to an hour only, and where the rows are a step apart.
  if (!seen_ns_ || options_.step.unit != TimeStep::Unit::kNanoseconds || step > kHour || options_.within_step) return;
  int64_t difference;
  if (time_ns / kDate == changed_ns_ / kDate || __builtin_sub_overflow(time_ns, *seen_ns_, &difference)) return;
  const bool ends = difference == step - kHour && IsNightOf(kEndsOfSummer, time_ns);
  const bool begins = difference == step + kHour && IsNightOf(kBeginsOfSummer, time_ns);
  if (!ends && !begins) return;
  changed_ns_ = time_ns;
  clock_before_ns_ = clock_ns_;
  clock_ns_ += ends ? kHour : -kHour;
  ++counts_.clock_changes;
}

// The step that passed last by the clock of a row with this time: a late row may be of the clock before.
int64_t RegularSeries::GridFor(int64_t time_ns) const {
  return *grid_ns_ - (time_ns < changed_ns_ ? clock_before_ns_ : clock_ns_);
}

void RegularSeries::Pass() { PassTo(options_.late_steps + (options_.at_once ? 0 : 1)); }

void RegularSeries::PassTo(size_t waiting) {
  while (slots_.size() > waiting) {
    Slot slot = std::move(slots_.front());
    slots_.pop_front();
    const int64_t next = options_.step.Ahead(*grid_ns_, 1);
    const bool fixed = options_.step.unit == TimeStep::Unit::kNanoseconds;
    if (!slot.taken || options_.within_step) {
      grid_ns_ = next;
    } else {
      // Steps before this one have moved the grid since the row came: that part of the distance is made good.
      const int64_t follow = (slot.off_ns - followed_ns_) / kFollow;
      followed_ns_ += fixed ? follow : 0;
      // Steps of months or weekdays take the row's own time of day.
      grid_ns_ = fixed ? next + follow : slot.time_ns;
    }
    // Times given out never go back, though the end of summer time sets the clock back.
    const int64_t time_ns = *grid_ns_ - slot.clock_ns;
    given_ns_ = std::max(given_ns_.value_or(time_ns), time_ns);
    if (!slot.taken) slot.values.assign(channels_, kNothing);
    ++counts_.rows;
    counts_.filled += slot.taken ? 0 : 1;
    ready_.push_back({*given_ns_, std::move(slot.values), std::move(slot.label), !slot.taken});
  }
}

bool RegularSeries::Next(RegularRow& row) {
  if (ready_.empty()) return false;
  row = std::move(ready_.front());
  ready_.pop_front();
  return true;
}

void RegularSeries::End() {
  PassTo(0);
  if (!far_) return;
  const Row last = *std::exchange(far_, std::nullopt);
  Anchor(last.time_ns);
  ++counts_.long_gaps;
  Put(1, last.time_ns, last.values, last.label);
  PassTo(0);
}

}  // namespace aaren::client
