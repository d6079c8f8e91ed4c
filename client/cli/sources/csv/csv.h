#ifndef AAREN_CLIENT_CLI_SOURCES_CSV_CSV_H_
#define AAREN_CLIENT_CLI_SOURCES_CSV_CSV_H_

// A CsvReader reads time series from a CSV file, row by row, in constant memory: a header line with the names of the
// columns, then a row per time step. Each column is a series, except for the column of the times.
//
// The first records tell how the file is written: see csv_dialect.h for delimiters and numbers, csv_columns.h for the
// columns, and time/time_format.h for the times. Every later row has to fit. A file is judged by up to 4 MiB of rows. A
// live source is judged by the rows that came with the first row, so its first forecast waits for nothing.
//
// Accepted: gzip, UTF-8, UTF-16, Latin-1, CRLF, quoted fields, blank lines, lines that begin with #, repeated headers
// and times, spaces around numbers, a last line without its end. csv_cell.h lists the words for a missing value.
// Errors are INVALID_ARGUMENT (NOT_FOUND for a file). They name the file, the line and the column, and say what was
// seen and what to do. Errors are: a ragged row, text in the place of a number, an infinity, a number beyond a float,
// no time, a time that goes back, no name of a series, a column that is missing or comes twice, no header, no rows.
//
// A live source goes on behind a faulty row: a cell that is no number is missing, and a ragged row, a row with a
// faulty quote or a row without a time is left out. Both are counted. Threading: a plain value.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/cli/sources/csv/csv_columns.h"
#include "client/cli/sources/csv/csv_dialect.h"
#include "client/cli/sources/csv/csv_options.h"
#include "client/cli/sources/csv/csv_record.h"
#include "client/cli/sources/time/time_format.h"

namespace aaren::cli {

// INVALID_ARGUMENT for options that no file could make right.
absl::Status CheckCsvOptions(const CsvOptions& options);

struct CsvRow {
  uint64_t line = 0;
  std::string time;            // the file's text; empty without a column of times
  int64_t time_ns = 0;         // since 1970-01-01 UTC
  std::vector<double> values;  // the series', then the covariates'; NaN where missing
};

// CsvFaults counts the cells and rows of a live source that had no usable content.
struct CsvFaults {
  uint64_t cells = 0, rows = 0;
  std::string first = {};  // the error of the first fault
  uint64_t large = 0;      // usable numbers beyond kLargestValue, of any source
};

// A session takes a number beyond this for this one (model/README.md, rule 1.1).
inline constexpr double kLargestValue = 1e30;

class CsvReader {
 public:
  // Reads the header and looks at the first rows. Errors call the file `name`. `live`: rows may be long in coming, so
  // only the first row is waited for, and faults are counted.
  static absl::StatusOr<std::unique_ptr<CsvReader>> Open(std::string name, ByteSource source, const CsvOptions& options,
                                                         bool live = false);

  // The next row; false at the end. An error stays.
  absl::StatusOr<bool> Next(CsvRow& row);

  // Shows the times of the next rows, as far as the rows are here or, in a file, within 4 MiB, until `look` says false.
  // REQUIRES: has_times().
  void LookAtTimes(const std::function<bool(int64_t time_ns)>& look);

  // Names of the series, in valid UTF-8, in the order of the rows' values.
  const std::vector<std::string>& columns() const { return columns_.series; }
  const client::Covariates& covariates() const { return columns_.covariates; }
  bool has_times() const { return !columns_.time_fields.empty(); }
  // The reader's decisions that a user may want otherwise: a sentence each.
  const std::vector<std::string>& remarks() const { return remarks_; }
  const std::optional<TimeFormat>& time_format() const { return time_format_; }
  const CsvFaults& faults() const { return faults_; }

  // The column of text that tells series apart, if the same times come again and again beside it; else empty.
  std::string ColumnOfSeries() const;

  // The series of the row that Next returned last. REQUIRES: CsvOptions::series_column.
  const std::string& series() const { return series_; }

 private:
  CsvReader(std::string name, ByteSource source, const CsvOptions& options, bool live);

  absl::Status ReadHeader();
  absl::Status ChooseFormat();
  absl::StatusOr<bool> NextRecord();
  absl::StatusOr<bool> NextFields();
  bool IsNoRow() const;
  bool FitToHeader(std::vector<absl::string_view>& fields) const;
  absl::Status ReadRow(CsvRow& row);
  absl::Status ReadTime(CsvRow& row);
  absl::StatusOr<double> ReadValue(size_t field);
  absl::Status Error(absl::string_view what) const;
  absl::Status CellError(size_t field, absl::string_view what) const;
  absl::Status TextError(size_t field) const;

  const std::string name_;
  const CsvOptions options_;
  const bool live_;
  CsvRecordReader records_;
  CsvDialect dialect_;
  CsvColumns columns_;
  std::vector<std::string> remarks_;
  std::vector<absl::string_view> fields_;  // the current record
  std::optional<TimeFormat> time_format_;  // set if the file has times and rows
  std::string series_;
  std::string last_time_;
  int64_t last_time_ns_ = INT64_MIN;
  bool any_row_ = false;
  CsvFaults faults_;
};

// A file's bytes; NOT_FOUND or PERMISSION_DENIED, naming it, if it cannot be opened.
absl::StatusOr<ByteSource> OpenBytes(const std::string& path);

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_SOURCES_CSV_CSV_H_
