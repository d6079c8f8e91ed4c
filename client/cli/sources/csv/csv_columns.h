#ifndef AAREN_CLIENT_CLI_SOURCES_CSV_CSV_COLUMNS_H_
#define AAREN_CLIENT_CLI_SOURCES_CSV_CSV_COLUMNS_H_

// ChooseColumns decides which columns of a CSV file are times, series, or neither. Options decide first. Without
// options, the column of times is the first in this list that the file has:
//
//   - columns called year, month and day, and hour, minute and second where they follow
//   - the first column, if it is called date, time, timestamp or datetime, or holds dates
//   - the leftmost column that holds dates
//   - the leftmost column whose name has a word for time, and that holds numbers of a time from 1990 to 2100
//   - the first column, if its numbers are such times, and rise evenly
//
// A column of clocks beside a column of dates belongs to the times. Columns that hold text, count the rows or have
// neither name nor values are no series, and neither are covariates, the numbers that come beside the series.
// Threading: plain functions and values.

#include <optional>
#include <string>
#include <vector>

#include "aaren/client/session_options.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "client/cli/sources/csv/csv_dialect.h"
#include "client/cli/sources/csv/csv_options.h"

namespace aaren::cli {

struct CsvColumns {
  std::vector<std::string> header;                // a readable name for each field
  std::vector<std::string> series;                // names of the series
  std::vector<size_t> fields;                     // the fields of the series, then of past and of future covariates
  client::Covariates covariates = {};             // how many
  std::vector<size_t> time_fields;                // none; a date, and perhaps a clock; or year, month, day, …
  std::optional<size_t> tells_series_apart = {};  // --series_column
  std::vector<std::string> remarks = {};
  bool named = false;  // by --columns

  // The text of a row's time.
  std::string TimeOf(const std::vector<absl::string_view>& row) const;
};

// The message of an error does not name the file.
absl::StatusOr<CsvColumns> ChooseColumns(const CsvDialect& dialect, const CsvOptions& options, bool live);

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_SOURCES_CSV_CSV_COLUMNS_H_
