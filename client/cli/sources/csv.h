#ifndef AAREN_CLIENT_CLI_SOURCES_CSV_H_
#define AAREN_CLIENT_CLI_SOURCES_CSV_H_

// A CsvReader reads time series from a CSV file, row by row, in constant memory: a header line with the names of the
// columns, then a row per time step. A column is a series, except for the one that holds the times.
//
// How times are written is found from the first rows, once for a file; every later time has to fit (time_format.h).
// That takes the first row, and more where day and month may be confused. Of a file these are up to 4 MiB of rows. Of a
// live source they are only those that came with the first, so that its first forecast waits for nothing.
//
// Accepted: CRLF, a byte-order mark, quoted fields, blank lines, repeated times, spaces around numbers, a last line
// without its end. An empty cell, NaN, NA, null and the marker of the options are missing values. Errors are
// INVALID_ARGUMENT (NOT_FOUND for a file) and name the file, the line and the column. They are for a ragged row, text
// where a number belongs, an infinity or a number beyond a float, and a time that is none or goes back. They are also
// for a column that is not there or there twice, no header, and no rows. Threading: a plain value.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "client/cli/sources/csv_record.h"
#include "client/cli/sources/time/time_format.h"

namespace aaren::cli {

struct CsvOptions {
  std::string columns = {};      // names, themselves a CSV record; empty: all but the times' column
  std::string time_column = {};  // empty: the first one if it is called date, time … or holds dates; "-": none
  std::string time_format = {};  // see TimeFormat::FromName; empty: found from the rows
  std::optional<TimeFormat> found_format = {};  // what an earlier reader of this file found
  std::optional<double> missing = {};           // a number that stands for a missing value
};

// INVALID_ARGUMENT for a time_format that is none.
absl::Status CheckTimeFormat(const CsvOptions& options);

struct CsvRow {
  uint64_t line = 0;
  std::string time;            // as the file has it; empty if there is no time column
  int64_t time_ns = 0;         // since 1970-01-01 UTC
  std::vector<double> values;  // one per column; NaN where missing
};

class CsvReader {
 public:
  // Reads the header and looks at the first rows. `name` is what errors call the file. `live`: rows may be long in
  // coming, so no more than the first is waited for.
  static absl::StatusOr<std::unique_ptr<CsvReader>> Open(std::string name, ByteSource source, const CsvOptions& options,
                                                         bool live = false);

  // The next row; false at the end. An error stays.
  absl::StatusOr<bool> Next(CsvRow& row);

  // Whether Next answers without reading.
  bool buffered() { return records_.buffered(); }

  // Names of the series, in valid UTF-8, in the order of the rows' values.
  const std::vector<std::string>& columns() const { return columns_; }
  bool has_times() const { return time_field_.has_value(); }
  // What was decided for the user, who may want it otherwise: a sentence each.
  const std::vector<std::string>& remarks() const { return remarks_; }
  const std::optional<TimeFormat>& time_format() const { return time_format_; }

 private:
  CsvReader(std::string name, ByteSource source, const CsvOptions& options);

  absl::Status ReadHeader(const CsvOptions& options, bool live);
  absl::Status ChooseTimes(const CsvOptions& options);
  absl::Status ChooseFormat(const CsvOptions& options, bool live);
  bool HeaderIsARow() const;
  std::vector<std::string> FirstRow();
  bool IsRow(const std::vector<absl::string_view>& fields) const;
  absl::Status ChooseColumns(const CsvOptions& options);
  std::vector<std::string> AllColumns(const std::string& time_column);
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
  absl::flat_hash_map<absl::string_view, size_t> places_;  // of the header's names; kTwice
  std::vector<std::string> first_row_;                     // empty if there is none
  bool columns_named_ = false;
  std::vector<std::string> remarks_;
  std::vector<std::string> columns_;
  std::vector<size_t> fields_of_columns_;
  std::optional<size_t> time_field_;
  std::vector<absl::string_view> fields_;  // of the current record
  std::optional<TimeFormat> time_format_;  // set where there are times and rows
  std::string last_time_;
  int64_t last_time_ns_ = INT64_MIN;
  bool any_row_ = false;
};

// A file's bytes; NOT_FOUND or PERMISSION_DENIED, naming it, if it cannot be opened.
absl::StatusOr<ByteSource> OpenBytes(const std::string& path);

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_SOURCES_CSV_H_
