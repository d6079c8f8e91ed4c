#ifndef AAREN_CLIENT_CLI_CSV_H_
#define AAREN_CLIENT_CLI_CSV_H_

// A CsvReader reads time series from a CSV file, row by row, in constant memory: a header line with the names of the
// columns, then a row per time step. A column is a series, except for the one that holds the times.
//
// Accepted: CRLF, a byte-order mark, quoted fields, blank lines, repeated times, spaces around numbers, a last line
// without its end. An empty cell, NaN, NA, null and the marker of the options are missing values.
// Errors are INVALID_ARGUMENT (NOT_FOUND for a file) and name the file, the line and the column: a ragged row, text
// where a number belongs, an infinity or a number beyond a float, a time that is none or goes back, a column that is
// not there or there twice, no header, no rows. Threading: a plain value.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/cli/csv_record.h"

namespace aaren::cli {

struct CsvOptions {
  std::string columns = {};            // names, themselves a CSV record; empty: all but the times' column
  std::string time_column = {};        // empty: the first one if it is called date, time …; "-": none
  std::optional<double> missing = {};  // a number that stands for a missing value
};

struct CsvRow {
  uint64_t line = 0;
  std::string time;            // as the file has it; empty if there is no time column
  int64_t time_ns = 0;         // since 1970-01-01 UTC
  std::vector<double> values;  // one per column; NaN where missing
};

class CsvReader {
 public:
  // Reads the header. `name` is what errors call the file.
  static absl::StatusOr<std::unique_ptr<CsvReader>> Open(std::string name, ByteSource source,
                                                         const CsvOptions& options);

  // The next row; false at the end. An error stays.
  absl::StatusOr<bool> Next(CsvRow& row);

  // Whether Next answers without reading.
  bool buffered() { return records_.buffered(); }

  // Names of the series, in valid UTF-8, in the order of the rows' values.
  const std::vector<std::string>& columns() const { return columns_; }
  bool has_times() const { return time_field_.has_value(); }

 private:
  CsvReader(std::string name, ByteSource source, const CsvOptions& options);

  absl::Status ReadHeader(const CsvOptions& options);
  absl::Status ChooseTimes(const std::string& time_column);
  absl::Status ChooseColumns(const std::string& columns);
  absl::StatusOr<size_t> FieldOf(absl::string_view column) const;
  absl::StatusOr<bool> NextRecord();
  absl::Status ReadTime(CsvRow& row);
  absl::StatusOr<double> ReadValue(size_t field) const;
  absl::Status Error(absl::string_view what) const;
  absl::Status CellError(size_t field, absl::string_view what) const;

  std::string name_;
  CsvRecordReader records_;
  std::optional<double> missing_;
  std::vector<std::string> header_;
  std::vector<std::string> columns_;
  std::vector<size_t> fields_of_columns_;
  std::optional<size_t> time_field_;
  std::vector<absl::string_view> fields_;  // of the current record
  std::string last_time_;
  int64_t last_time_ns_ = INT64_MIN;
  bool any_row_ = false;
};

// A file's bytes; NOT_FOUND or PERMISSION_DENIED, naming it, if it cannot be opened.
absl::StatusOr<ByteSource> OpenBytes(const std::string& path);

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_CSV_H_
