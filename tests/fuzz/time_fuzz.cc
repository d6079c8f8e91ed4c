// The times of a file, a line each: the detected format reads the first, and the pattern named by the format reads it
// alike.

#include <optional>
#include <vector>

#include "absl/strings/str_split.h"
#include "client/cli/sources/time/time_format.h"
#include "tests/fuzz/target.h"

namespace aaren::fuzz {

void RunTime(absl::string_view bytes) {
  const std::vector<absl::string_view> times = absl::StrSplit(bytes, '\n');
  cli::TimeFormatGuess guess;
  for (size_t i = 0; i < times.size() && guess.Add(times[i]); ++i) {
  }
  (void)guess.ambiguous();
  std::optional<cli::TimeFormat> format = guess.best();
  if (!format.has_value()) return;
  const std::optional<int64_t> first = format->Parse(times[0]);
  for (const absl::string_view time : times) (void)format->Parse(time);
  absl::StatusOr<cli::TimeFormat> named = cli::TimeFormat::FromName(format->pattern());
  Must(named.ok(), "the pattern of a format that was found is refused");
  const std::optional<int64_t> again = named->Parse(times[0]);
  Must(!first.has_value() || !again.has_value() || *first == *again, "a pattern reads another time than its format");
}

}  // namespace aaren::fuzz
