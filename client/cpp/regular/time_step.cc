#include "aaren/client/time_step.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/civil_time.h"
#include "absl/time/time.h"

namespace aaren::client {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kDay = 86'400 * kSecond;
// Ten years: the grid's times stay far from the ends of 64 bits.
constexpr int64_t kLongestStep = 3660 * kDay;
constexpr int64_t kMostMonths = 120;
constexpr int64_t kShortestMonth = 28 * kDay;
// A twelfth of the Gregorian year of 365.2425 days.
constexpr int64_t kMeanMonth = 2'629'746 * kSecond;
constexpr int64_t kFarthest = INT64_MAX / 2;  // between two times: half a step more still fits

struct Fixed {
  const char* name;
  int64_t ns;
};
// From the longest unit on: ToString takes the first unit that divides the step.
constexpr Fixed kFixed[] = {{"w", 7 * kDay}, {"d", kDay},       {"h", 3600 * kSecond}, {"m", 60 * kSecond},
                            {"s", kSecond},  {"ms", 1'000'000}, {"us", 1000},          {"ns", 1}};

absl::CivilSecond Civil(int64_t time_ns) {
  return absl::ToCivilSecond(absl::FromUnixNanos(time_ns), absl::UTCTimeZone());
}

// `count` units of `unit_ns`; none if the step would be longer than ten years.
std::optional<TimeStep> Nanoseconds(int64_t count, int64_t unit_ns) {
  if (count > kLongestStep / unit_ns) return std::nullopt;
  return TimeStep{TimeStep::Unit::kNanoseconds, count * unit_ns};
}

// The same for months.
std::optional<TimeStep> Months(int64_t count, int64_t unit_months) {
  if (count > kMostMonths / unit_months) return std::nullopt;
  return TimeStep{TimeStep::Unit::kMonths, count * unit_months};
}

// A whole number of one unit, as in 15m, 1d or 2mo.
std::optional<TimeStep> Count(int64_t count, absl::string_view unit) {
  for (const Fixed& fixed : kFixed) {
    if (unit == fixed.name) return Nanoseconds(count, fixed.ns);
  }
  if (unit == "min") return Nanoseconds(count, 60 * kSecond);
  if (unit == "mo" || unit == "month") return Months(count, 1);
  if (unit == "q") return Months(count, 3);
  if (unit == "y") return Months(count, 12);
  return std::nullopt;
}

int64_t FloorDivide(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

int64_t DayOf(int64_t time_ns) { return FloorDivide(time_ns, kDay); }

int64_t MonthOf(int64_t time_ns) {
  const absl::CivilSecond civil = Civil(time_ns);
  return civil.year() * 12 + civil.month() - 1;
}

// Counts Monday to Friday; a day of the weekend counts for its Friday. 1970-01-05 was a Monday.
int64_t WeekdayOf(int64_t time_ns) {
  const int64_t day = DayOf(time_ns) - 4;
  const int64_t week = FloorDivide(day, 7);
  return week * 5 + std::min<int64_t>(day - week * 7, 4);
}

bool IsWeekend(int64_t time_ns) {
  const int64_t day = DayOf(time_ns) - 4;
  return day - FloorDivide(day, 7) * 7 > 4;
}

bool IsLastOfMonth(int64_t time_ns) { return MonthOf(time_ns + kDay) != MonthOf(time_ns); }

// The same day and clock, so many months later; the last day of a month stays the last.
int64_t MonthsAhead(int64_t from_ns, int64_t months) {
  const absl::CivilMonth month = absl::CivilMonth(Civil(from_ns)) + months;
  const int64_t last = absl::CivilDay(month + 1) - absl::CivilDay(month);
  const int64_t day = IsLastOfMonth(from_ns) ? last : std::min<int64_t>(Civil(from_ns).day(), last);
  const int64_t days = absl::CivilDay(month) + (day - 1) - absl::CivilDay(1970, 1, 1);
  return days * kDay + (from_ns - DayOf(from_ns) * kDay);
}

// The most usual of some differences, and how many there are of it.
std::pair<int64_t, size_t> Mode(std::vector<int64_t> differences) {
  std::sort(differences.begin(), differences.end());
  std::pair<int64_t, size_t> best = {0, 0};
  for (size_t i = 0, j = 0; i < differences.size(); i = j) {
    while (j < differences.size() && differences[j] == differences[i]) ++j;
    if (j - i > best.second) best = {differences[i], j - i};
  }
  return best;
}

// A length that people choose, if one is within 2 % of this.
int64_t Nice(double ns) {
  constexpr int64_t kSeconds[] = {1,   2,    5,    10,   12,   15,    20,    30,    60,    120,   300,   600,   720,
                                  900, 1200, 1800, 3600, 7200, 10800, 14400, 21600, 28800, 43200, 86400, 604800};
  for (const int64_t seconds : kSeconds) {
    const double nice = static_cast<double>(seconds * kSecond);
    if (std::abs(ns - nice) <= 0.02 * nice) return seconds * kSecond;
  }
  return static_cast<int64_t>(ns);
}

int64_t UsualStep(const std::vector<int64_t>& differences) {
  const auto [mode, times] = Mode(differences);
  if (2 * times >= differences.size()) return mode;
  // With jitter hardly two differences are equal: the differences within a quarter of the median are averaged.
  std::vector<int64_t> sorted = differences;
  const auto middle = sorted.begin() + static_cast<ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  double sum = 0, count = 0;
  for (const int64_t one : differences) {
    if (std::abs(one - *middle) > *middle / 4) continue;
    sum += static_cast<double>(one);
    count += 1;
  }
  return Nice(sum / count);
}

// Months, quarters or years: all times on one day of the month, or on last days.
TimeStep FindMonths(absl::Span<const int64_t> times, const std::vector<int64_t>& differences) {
  const int day = Civil(times[0]).day();
  const bool same = std::all_of(times.begin(), times.end(), [&](int64_t time) { return Civil(time).day() == day; });
  const bool last = std::all_of(times.begin(), times.end(), IsLastOfMonth);
  if (!same && !last) return {};
  std::vector<int64_t> months;
  for (size_t i = 1; i < times.size(); ++i) {
    if (times[i] != times[i - 1]) months.push_back(MonthOf(times[i]) - MonthOf(times[i - 1]));
  }
  const auto [mode, count] = Mode(months);
  const bool fits = mode > 0 && 2 * count >= differences.size() &&
                    std::all_of(months.begin(), months.end(), [step = mode](int64_t one) { return one % step == 0; });
  return fits ? TimeStep{TimeStep::Unit::kMonths, mode} : TimeStep();
}

// From Friday to Monday, twice: a single gap of three days may be an outage.
bool AreWeekdays(absl::Span<const int64_t> times, const std::vector<int64_t>& differences) {
  return std::none_of(times.begin(), times.end(), IsWeekend) &&
         std::count(differences.begin(), differences.end(), 3 * kDay) >= 2;
}

}  // namespace

absl::StatusOr<TimeStep> TimeStep::Parse(absl::string_view text) {
  if (text == "none") return TimeStep();
  if (text == "weekday" || text == "weekdays") return TimeStep{Unit::kWeekdays, 1};
  const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string unit = absl::AsciiStrToLower(text.substr(digits));
  int64_t count = 1;
  const bool number = digits == 0 || absl::SimpleAtoi(text.substr(0, digits), &count);
  if (number && count > 0) {
    if (const auto step = Count(count, unit)) return *step;
  }
  // Abseil also reads compound durations such as 1h30m.
  absl::Duration duration;
  if (digits > 0 && absl::ParseDuration(text, &duration) && duration > absl::ZeroDuration() &&
      duration <= absl::Nanoseconds(kLongestStep)) {
    return TimeStep{Unit::kNanoseconds, absl::ToInt64Nanoseconds(duration)};
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "\"", text, "\" is no step such as 10s, 15m, 1h, 1d, 1w, 1mo, weekday or none, of at most ten years"));
}

TimeStep TimeStep::OfNanoseconds(int64_t step_ns) {
  return step_ns > 0 && step_ns <= kLongestStep ? TimeStep{Unit::kNanoseconds, step_ns} : TimeStep();
}

TimeStep TimeStep::Find(absl::Span<const int64_t> times_ns) {
  std::vector<int64_t> differences;
  for (size_t i = 1; i < times_ns.size(); ++i) {
    if (times_ns[i] > times_ns[i - 1]) differences.push_back(times_ns[i] - times_ns[i - 1]);
  }
  if (differences.empty()) return {};
  const int64_t usual = UsualStep(differences);
  if (usual >= kShortestMonth) {
    const TimeStep months = FindMonths(times_ns, differences);
    if (months.unit != Unit::kNone) return months;
  }
  if (usual == kDay && AreWeekdays(times_ns, differences)) return {Unit::kWeekdays, 1};
  const double step = static_cast<double>(usual);
  double fitting = 0, single = 0;
  for (const int64_t one : differences) {
    const double steps = std::round(static_cast<double>(one) / step);
    if (steps < 1 || std::abs(static_cast<double>(one) - steps * step) > step / 4) continue;
    fitting += 1;
    single += steps == 1 ? 1 : 0;
  }
  const double all = static_cast<double>(differences.size());
  return fitting >= 0.9 * all && 2 * single >= all ? TimeStep{Unit::kNanoseconds, usual} : TimeStep();
}

std::string TimeStep::ToString() const {
  if (unit == Unit::kNone) return "none";
  if (unit == Unit::kWeekdays) return "weekday";
  if (unit == Unit::kMonths) return count % 12 == 0 ? absl::StrCat(count / 12, "y") : absl::StrCat(count, "mo");
  for (const Fixed& fixed : kFixed) {
    if (count % fixed.ns == 0) return absl::StrCat(count / fixed.ns, fixed.name);
  }
  return absl::StrCat(count, "ns");
}

int64_t TimeStep::Nanoseconds() const {
  switch (unit) {
    case Unit::kNone:
      return 0;
    case Unit::kNanoseconds:
      return count;
    case Unit::kMonths:
      return count * kMeanMonth;
    case Unit::kWeekdays:
      return kDay;
  }
  return 0;
}

// Times of different centuries may be further apart than 64 bits of nanoseconds tell.
int64_t TimeStep::Between(int64_t from_ns, int64_t time_ns, bool within) const {
  if (unit == Unit::kMonths) return FloorDivide(MonthOf(time_ns), count) - FloorDivide(MonthOf(from_ns), count);
  if (unit == Unit::kWeekdays) return WeekdayOf(time_ns) - WeekdayOf(from_ns);
  // Half a step more turns the step before the time into the nearest step.
  int64_t apart;
  if (__builtin_sub_overflow(time_ns, from_ns, &apart)) apart = time_ns > from_ns ? kFarthest : -kFarthest;
  return FloorDivide(std::clamp(apart, -kFarthest, kFarthest) + (within ? 0 : count / 2), count);
}

int64_t TimeStep::Ahead(int64_t from_ns, int64_t steps) const {
  if (unit == Unit::kMonths) return MonthsAhead(from_ns, steps * count);
  if (unit == Unit::kNanoseconds) {
    int64_t ahead;
    return __builtin_add_overflow(from_ns, steps * count, &ahead) ? INT64_MAX : ahead;
  }
  const int64_t weekday = WeekdayOf(from_ns) + steps;
  const int64_t week = FloorDivide(weekday, 5);
  return (week * 7 + (weekday - week * 5) + 4) * kDay + (from_ns - DayOf(from_ns) * kDay);
}

int64_t TimeStep::Begin(int64_t time_ns) const {
  if (unit == Unit::kWeekdays) return DayOf(time_ns) * kDay;
  if (unit == Unit::kNanoseconds) return FloorDivide(time_ns, count) * count;
  const absl::CivilMonth month = absl::CivilMonth(1970, 1) + (FloorDivide(MonthOf(time_ns), count) * count - 1970 * 12);
  return (absl::CivilDay(month) - absl::CivilDay(1970, 1, 1)) * kDay;
}

}  // namespace aaren::client
