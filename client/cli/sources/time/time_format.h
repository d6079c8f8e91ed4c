#ifndef AAREN_CLIENT_CLI_SOURCES_TIME_TIME_FORMAT_H_
#define AAREN_CLIENT_CLI_SOURCES_TIME_TIME_FORMAT_H_

// The way in which a file writes its times. A TimeFormat reads the times, and a TimeFormatGuess finds the format from
// the first times. Times are nanoseconds since 1970-01-01 UTC. A time without a zone is taken as UTC, since only
// differences and order matter to a forecast.
//
// The dates below are found without a flag, with leading zeros or without. Each may have a clock behind a T or a blank:
// 12 or 24 hours, a fraction of a second, a zone such as Z, +01:00, +0100, UTC or GMT. 24:00 is midnight at the end of
// the day.
//
//   2024-01-31  2024/1/31  2024.01.31  20240131  2024-01  31.1.2024  31.1.24  31-Jan-2024  31 Jan 2024  Jan 31, 2024
//   Wed, 31 Jan 2024 12:00:00 GMT  Wed Jan 31 12:00:00 2024                        (as mail and as C's ctime write)
//   1/31/2024  31/1/2024  1-31-2024  31-1-2024  1/31/24  31/1/24                      (day or month: see the guess)
//   1706702400.25  1706702400250  …                                  (since 1970, in s, ms, us or ns: by the magnitude)
//
// A format fixes the date's layout for all rows. The precision of the clock may change from row to row, since many
// programs leave out a midnight, or seconds that are zero.
//
// absl::ParseTime reads a time in 0.3 us; date.h's parse takes 0.7 to 0.9. Neither finds the pattern of a file, so the
// search is by hand. Threading: plain values.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace aaren::cli {

class TimeFormat {
 public:
  // The format that --time_format names: unix, unix_ms, unix_us, unix_ns, or a pattern of absl::ParseTime (as
  // strptime's). Every time has to fit the pattern as a whole; behind a pattern without a clock any clock may stand.
  // INVALID_ARGUMENT for anything else.
  static absl::StatusOr<TimeFormat> FromName(absl::string_view name);

  // Nothing for a time of another format, a date that does not exist, or a time beyond 64-bit nanoseconds (1678 .. 2262
  // fit). Remembers the pattern that fitted, and tries that pattern first.
  std::optional<int64_t> Parse(absl::string_view text);

  // A time in the form of the last parsed time, in UTC.
  std::string Format(int64_t time_ns) const;

  // True if the last parsed time had a zone, or counts from 1970. A time without a zone may be local.
  bool has_zone() const;

  // For people: "month/day/year".
  const std::string& name() const { return name_; }

  // The pattern for --time_format.
  std::string pattern() const;

 private:
  friend class TimeFormatGuess;
  TimeFormat(std::string name, std::string unit, std::vector<std::string> patterns)
      : name_(std::move(name)), unit_(std::move(unit)), patterns_(std::move(patterns)) {}

  std::optional<absl::Time> ParsePatterns(absl::string_view text);

  std::string name_;
  std::string unit_;  // absl::ParseDuration's name for the unit of a number since 1970; empty: patterns
  std::vector<std::string> patterns_;
  size_t fitted_ = 0;
};

// Formats are ruled out by times that they cannot read. Between day/month and month/day the format wins whose times
// never go back, or else always do (newest first). Next the format with far steadier steps wins: a misread day makes
// hours jump by months. Else month/day wins, and is `ambiguous`.
class TimeFormatGuess {
 public:
  // The next time. False once no further time could change the answer. REQUIRES: the last call said true.
  bool Add(absl::string_view text);

  // Nothing if the first time fits no format.
  std::optional<TimeFormat> best() const;

  // A sentence for the user if nothing decided between two formats; else empty.
  std::string ambiguous() const;

  // True for a date, false for a bare number.
  static bool IsCalendarTime(absl::string_view text);

  // For errors: the formats that are tried.
  static const char* Tried();

 private:
  struct Candidate {
    TimeFormat format;
    int64_t last_ns;
    bool goes_back = false, goes_on = false;
    std::vector<int64_t> steps = {};  // lengths above 0

    // 0: times never go back; 1: times always go back; 2: both.
    int Disorder() const { return !goes_back ? 0 : goes_on ? 2 : 1; }

    // The longest step in usual steps.
    double Unsteadiness() const;
  };
  static std::vector<TimeFormat> All(absl::string_view text);
  bool Settled() const;
  size_t Best(bool& sure) const;

  std::string first_;
  std::vector<Candidate> candidates_;
};

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_SOURCES_TIME_TIME_FORMAT_H_
