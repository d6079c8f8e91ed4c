#include "client/cli/sources/csv/csv_flags.h"

#include "absl/strings/str_cat.h"

namespace aaren::cli {

void CsvFlags::AddTo(command_line::Flags& flags) {
  flags.Add("columns", &csv.columns, "columns to take, separated by commas; without it all that hold numbers");
  flags.Add("past", &csv.past,
            "columns of covariates, separated by commas: numbers that are measured with each row, as a temperature");
  flags.Add(
      "future", &csv.future,
      "columns of covariates that are known in advance, as a holiday, a price or a weather forecast. Rows at the\n"
      "file's end without a value of any series tell those to come");
  flags.Add("series_column", &csv.series_column,
            "the column that tells several series of one file apart, such as a host: a session for each");
  flags.Add("time_column", &csv.time_column,
            "the column of times, - for none; without it found from the names and the first rows");
  flags.Add("time_format", &csv.time_format,
            "how times are written: unix, unix_ms, unix_us, unix_ns, or a format as of strptime, \"%d/%m/%Y %H:%M\";\n"
            "without it found from the first rows");
  flags.Add("delimiter", &csv.delimiter, "what parts the fields: one character, tab or space; without it found");
  flags.Add("decimal", &csv.decimal, "the decimal mark, . or a comma; without it found");
  flags.Add("missing", &csv.missing,
            "a number or a word that stands for a missing value, beside the usual words; may be repeated");
  flags.Add("step", &times.step,
            "time from row to row: 10s, 15m, 1h, 1d, 1w, 1mo, weekday; a step without a row is a missing value; none\n"
            "counts rows; without it found from the first rows");
  flags.Add("aggregate", &times.aggregate,
            "what becomes of several rows of one step: first, last, mean, sum or max; without it the last one of a\n"
            "file, and of a live source the first, which waits for nothing");
  flags.Add(
      "lateness",
      [this](const std::string& text) {
        absl::Duration lateness;
        if (!absl::ParseDuration(text, &lateness) || lateness < absl::ZeroDuration()) {
          return absl::InvalidArgumentError("is not a duration such as 90s or 2h");
        }
        times.lateness = lateness;
        return absl::OkStatus();
      },
      "wait so long, by the times of later rows, for a row that is late; without it 100 steps of a file, and no\n"
      "time of a live source",
      "");
  flags.Add("late", &times.late, "what a row beyond that does: skip leaves it out, stop ends the program");
}

absl::Status CsvFlags::Check() const {
  absl::Status status = CheckCsvOptions(csv);
  if (status.ok()) status = CheckRegularTimes(times);
  return status;
}

}  // namespace aaren::cli
