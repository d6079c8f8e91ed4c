#include "client/cli/sources/time/time_format.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/time/time.h"

namespace aaren::cli {
namespace {

constexpr char kDayFirst[] = "day/month/year";
constexpr char kMonthFirst[] = "month/day/year";

// A misread day makes some step weeks long; in a series with gaps both readings have a long one.
constexpr double kFarSteadier = 4;

struct Layout {
  const char* name;
  const char* pattern;
};

// In the order of preference. %E4Y is a year of exactly four digits.
constexpr Layout kLayouts[] = {{"year-month-day", "%E4Y-%m-%d"},
                               {"year/month/day", "%E4Y/%m/%d"},
                               {"year.month.day", "%E4Y.%m.%d"},
                               {"yearmonthday", "%E4Y%m%d"},
                               {"year-month", "%E4Y-%m"},
                               {"day.month.year", "%d.%m.%E4Y"},
                               {"day.month.year", "%d.%m.%y"},
                               {kMonthFirst, "%m/%d/%E4Y"},
                               {kDayFirst, "%d/%m/%E4Y"},
                               {kMonthFirst, "%m-%d-%E4Y"},
                               {kDayFirst, "%d-%m-%E4Y"},
                               {kMonthFirst, "%m/%d/%y"},
                               {kDayFirst, "%d/%m/%y"},
                               {"day-month-year", "%d-%b-%E4Y"},
                               {"day-month-year", "%d-%b-%y"},
                               {"day month year", "%d %b %E4Y"},
                               {"month day year", "%b %d, %E4Y"},
                               {"month day year", "%b %d %E4Y"},
                               {"weekday, day month year", "%a, %d %b %E4Y"}};

// A blank in a pattern also stands for none: 3:04PM, 12:00:00+01:00.
constexpr const char* kClocks[] = {"%H:%M:%E*S", "%H:%M", "%I:%M:%E*S %p", "%I:%M %p", "%H%M%S", "%H%M"};
constexpr const char* kZones[] = {"", " %Ez", " UTC", " GMT"};

// The form of C's ctime: Wed Jan 31 12:00:00 2024.
constexpr char kWordsFirst[] = "%a %b %d %H:%M:%E*S %E4Y";

std::vector<std::string> WithClocks(absl::string_view date) {
  std::vector<std::string> patterns = {std::string(date)};
  for (const char* zone : kZones) {
    for (const char* clock : kClocks) {
      for (const char* between : {" ", "T"}) patterns.push_back(absl::StrCat(date, between, clock, zone));
    }
  }
  return patterns;
}

bool HasClock(absl::string_view pattern) {
  constexpr absl::string_view kOfClocks[] = {"%H", "%I", "%M", "%S", "%T", "%R", "%r", "%s", "%c", "%X"};
  // %E4Y is a year; every other %E belongs to a clock or a zone.
  return absl::StrContains(absl::StrReplaceAll(pattern, {{"%E4Y", ""}}), "%E") ||
         std::any_of(std::begin(kOfClocks), std::end(kOfClocks),
                     [&](absl::string_view part) { return absl::StrContains(pattern, part); });
}

struct Unit {
  const char* name;
  const char* suffix;  // for absl::ParseDuration
  const char* words;
};
constexpr Unit kUnits[] = {{"unix", "s", "seconds since 1970"},
                           {"unix_ms", "ms", "milliseconds since 1970"},
                           {"unix_us", "us", "microseconds since 1970"},
                           {"unix_ns", "ns", "nanoseconds since 1970"}};

bool IsNumber(absl::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789.+-") == absl::string_view::npos &&
         text.find_last_of("+-") + 1 <= 1 && std::count(text.begin(), text.end(), '.') <= 1 &&
         text.find_first_of("0123456789") != absl::string_view::npos;
}

// 20240131, with or without a clock's digits behind it, and no count of anything: a year that people have data of.
bool IsCompactDate(absl::string_view text) {
  return (text.size() == 8 || text.size() == 12 || text.size() == 14) &&
         (text.substr(0, 2) == "19" || text.substr(0, 2) == "20") &&
         std::all_of(text.begin(), text.end(), absl::ascii_isdigit);
}

// "24:00", "24:00:00" or the digits of a compact clock become 00 of the same day; whether there was any.
bool TakeMidnight(std::string& text) {
  const bool digits = std::all_of(text.begin(), text.end(), absl::ascii_isdigit);
  if (digits) {
    const bool midnight = (text.size() == 12 || text.size() == 14) && absl::StartsWith("240000", text.substr(8));
    if (midnight) text.replace(8, 2, "00");
    return midnight;
  }
  const size_t hour = text.find("24:00");
  const bool clock = hour != std::string::npos && hour > 0 && (text[hour - 1] == ' ' || text[hour - 1] == 'T');
  if (!clock || (text.size() > hour + 5 && absl::StartsWith(text.substr(hour + 5), ":") &&
                 !absl::StartsWith(text.substr(hour + 5), ":00"))) {
    return false;
  }
  text.replace(hour, 2, "00");
  return true;
}

}  // namespace

absl::StatusOr<TimeFormat> TimeFormat::FromName(absl::string_view name) {
  for (const Unit& unit : kUnits) {
    if (name == unit.name) return TimeFormat(unit.words, unit.suffix, {unit.name});
  }
  if (name.find('%') != absl::string_view::npos) {
    // A format without a clock takes any clock behind the date.
    return TimeFormat(std::string(name), "",
                      HasClock(name) ? std::vector<std::string>{std::string(name)} : WithClocks(name));
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "--time_format=", name, " is neither unix, unix_ms, unix_us or unix_ns nor a format such as \"%d/%m/%Y %H:%M\""));
}

std::optional<int64_t> TimeFormat::Parse(absl::string_view text) {
  constexpr absl::Duration kLeast = absl::Nanoseconds(std::numeric_limits<int64_t>::min());
  constexpr absl::Duration kMost = absl::Nanoseconds(std::numeric_limits<int64_t>::max());
  text = absl::StripAsciiWhitespace(text);
  absl::Duration since;
  if (!unit_.empty()) {
    if (!IsNumber(text) || !absl::ParseDuration(absl::StrCat(text, unit_), &since)) return {};
  } else {
    std::optional<absl::Time> time = ParsePatterns(text);
    std::string midnight(text);
    if (!time && TakeMidnight(midnight)) {
      time = ParsePatterns(midnight);
      // 24:00 ends the day.
      if (time) *time += absl::Hours(24);
    }
    if (!time) return {};
    since = *time - absl::UnixEpoch();
  }
  return since < kLeast || since > kMost ? std::nullopt : std::optional(absl::ToInt64Nanoseconds(since));
}

std::optional<absl::Time> TimeFormat::ParsePatterns(absl::string_view text) {
  for (size_t i = 0; i < patterns_.size(); ++i) {
    // The pattern that fitted last comes first: most rows are written alike.
    const size_t at = (fitted_ + i) % patterns_.size();
    absl::Time time;
    if (!absl::ParseTime(patterns_[at], text, &time, nullptr)) continue;
    fitted_ = at;
    return time;
  }
  return {};
}

std::string TimeFormat::Format(int64_t time_ns) const {
  const absl::Time time = absl::FromUnixNanos(time_ns);
  if (unit_.empty()) return absl::FormatTime(patterns_[fitted_], time, absl::UTCTimeZone());
  absl::Duration unit;
  absl::ParseDuration(absl::StrCat("1", unit_), &unit);
  const absl::Duration since = absl::Nanoseconds(time_ns);
  // A whole number has no fraction, as most files have it.
  if (since % unit == absl::ZeroDuration()) return absl::StrCat(since / unit);
  return absl::StrFormat("%.3f", absl::FDivDuration(since, unit));
}

bool TimeFormat::has_zone() const {
  const std::string& pattern = patterns_[fitted_];
  return !unit_.empty() || absl::StrContains(pattern, "%Ez") || absl::StrContains(pattern, "%z") ||
         absl::StrContains(pattern, "UTC") || absl::StrContains(pattern, "GMT");
}

std::string TimeFormat::pattern() const { return absl::StrReplaceAll(patterns_[0], {{"%E4Y", "%Y"}}); }

const char* TimeFormatGuess::Tried() {
  return "year-month-day, day.month.year, month/day/year and day/month/year, with and without a clock, and numbers "
         "since 1970; --time_format=FORMAT names another";
}

// The formats that may be meant by a first time. A bare number is in the coarsest unit in which it is no later than
// 2262: seconds until then, milliseconds from April 1970 on, and so forth.
std::vector<TimeFormat> TimeFormatGuess::All(absl::string_view text) {
  std::vector<TimeFormat> formats;
  const bool number = IsNumber(text);
  for (const Layout& layout : kLayouts) {
    if (number && !(IsCompactDate(text) && absl::string_view(layout.pattern) == "%E4Y%m%d")) continue;
    formats.push_back(TimeFormat(layout.name, "", WithClocks(layout.pattern)));
  }
  if (!number) formats.push_back(TimeFormat("weekday month day clock year", "", {kWordsFirst}));
  for (const Unit& unit : kUnits) {
    TimeFormat format(unit.words, unit.suffix, {unit.name});
    if (!format.Parse(text)) continue;
    formats.push_back(std::move(format));
    break;
  }
  return formats;
}

bool TimeFormatGuess::IsCalendarTime(absl::string_view text) {
  text = absl::StripAsciiWhitespace(text);
  // To try all formats takes long, and most cells of a wide file have no mark of a time.
  const auto digits = std::count_if(text.begin(), text.end(), absl::ascii_isdigit);
  if (digits < 3 || text.find_first_of("-/.: ") == absl::string_view::npos || IsNumber(text)) return false;
  TimeFormatGuess guess;
  guess.Add(text);
  return guess.best().has_value();
}

bool TimeFormatGuess::Add(absl::string_view text) {
  text = absl::StripAsciiWhitespace(text);
  if (candidates_.empty()) {
    first_ = std::string(text);
    for (TimeFormat& format : All(text)) {
      const std::optional<int64_t> time = format.Parse(text);
      if (time) candidates_.push_back({std::move(format), *time});
    }
    return !Settled();
  }
  std::vector<Candidate> left;
  for (Candidate& candidate : candidates_) {
    const std::optional<int64_t> time = candidate.format.Parse(text);
    if (!time) continue;
    left.push_back(std::move(candidate));
    Candidate& kept = left.back();
    kept.goes_back = kept.goes_back || *time < kept.last_ns;
    kept.goes_on = kept.goes_on || *time > kept.last_ns;
    if (*time != kept.last_ns) kept.steps.push_back(std::abs(*time - kept.last_ns));
    kept.last_ns = *time;
  }
  // A time that fits none is the reader's to refuse, with the format that fits those before it.
  if (left.empty()) return false;
  candidates_ = std::move(left);
  return !Settled();
}

// Only day and month are ever in doubt for longer than a row: other pairs are decided by preference.
bool TimeFormatGuess::Settled() const {
  if (candidates_.size() < 2 || candidates_[0].format.name() != kMonthFirst) return true;
  return candidates_[0].Disorder() != candidates_[1].Disorder();
}

double TimeFormatGuess::Candidate::Unsteadiness() const {
  if (steps.empty()) return 1;
  std::vector<int64_t> sorted = steps;
  const auto middle = sorted.begin() + static_cast<ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  return static_cast<double>(*std::max_element(steps.begin(), steps.end())) / static_cast<double>(*middle);
}

size_t TimeFormatGuess::Best(bool& sure) const {
  sure = true;
  if (candidates_.size() < 2 || candidates_[0].format.name() != kMonthFirst) return 0;
  const Candidate& month_first = candidates_[0];
  const Candidate& day_first = candidates_[1];
  if (month_first.Disorder() != day_first.Disorder()) return month_first.Disorder() > day_first.Disorder() ? 1 : 0;
  if (month_first.Unsteadiness() > kFarSteadier * day_first.Unsteadiness()) return 1;
  sure = day_first.Unsteadiness() > kFarSteadier * month_first.Unsteadiness();
  return 0;
}

std::optional<TimeFormat> TimeFormatGuess::best() const {
  bool sure;
  if (candidates_.empty()) return {};
  return candidates_[Best(sure)].format;
}

std::string TimeFormatGuess::ambiguous() const {
  bool sure = true;
  if (!candidates_.empty()) Best(sure);
  if (sure) return "";
  return absl::StrCat("times such as \"", first_, "\" are taken as ", kMonthFirst, "; --time_format=\"",
                      candidates_[1].format.pattern(), "\" reads them as ", kDayFirst);
}

}  // namespace aaren::cli
