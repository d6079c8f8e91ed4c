#include "client/cli/sources/events/event_file_flags.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace aaren::cli {

void EventFileFlags::AddTo(command_line::Flags& flags) {
  flags.Add("events", &path,
            "a file of events, CSV or JSON lines, with columns time, mark and, for several streams, series; - reads\n"
            "standard input");
  flags.Add("mark_column", &mark_column, "of events: the column of marks; without it found from the names");
  flags.Add("time_unit", &time_unit,
            "of events: times are numbers of this unit, such as 1s or 1h, from any origin; 0 for dates and epochs");
}

EventFileOptions EventFileFlags::Options(const CsvOptions& csv) const {
  EventFileOptions options = {.columns = {.time = csv.time_column,
                                          .mark = mark_column,
                                          .series = csv.series_column,
                                          .delimiter = csv.delimiter},
                              .time_format = csv.time_format};
  if (time_unit != absl::ZeroDuration()) options.time_unit = time_unit;
  return options;
}

absl::Status EventFileFlags::Check(const CsvFlags& rows) const {
  if (path.empty()) return absl::OkStatus();
  const std::pair<const char*, bool> of_values[] = {{"columns", !rows.csv.columns.empty()},
                                                    {"decimal", !rows.csv.decimal.empty()},
                                                    {"missing", !rows.csv.missing.empty()},
                                                    {"step", !rows.times.step.empty()},
                                                    {"aggregate", !rows.times.aggregate.empty()},
                                                    {"lateness", rows.times.lateness.has_value()},
                                                    {"past", !rows.csv.past.empty()},
                                                    {"future", !rows.csv.future.empty()}};
  for (const auto& [flag, given] : of_values) {
    if (given) return absl::InvalidArgumentError(absl::StrCat("--", flag, " is for --csv=FILE: events have no values"));
  }
  return CheckEventFileOptions(Options(rows.csv));
}

}  // namespace aaren::cli
