#ifndef AAREN_MODEL_TASKS_FORECASTING_SERIES_CSV_H_
#define AAREN_MODEL_TASKS_FORECASTING_SERIES_CSV_H_

// Reads the series of a CSV file: a header line, then one row per time step, one column per series. CRLF line ends, a
// byte-order mark and quoted fields are accepted; an empty field, NA, NaN and null are missing values. A column is a
// time column, not a series, if no columns are asked for and its first field is no number; it is skipped.

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace aaren::forecasting {

struct CsvSeries {
  std::string name;            // of the column
  std::vector<double> values;  // NaN where missing
};

// The named columns in the order named, or every numeric column if `columns` is empty. NotFound: the file or a column;
// InvalidArgument: a ragged row, text or an infinity where a number belongs, no rows, no usable column. Errors name the
// file, and where it applies row and column.
absl::StatusOr<std::vector<CsvSeries>> ReadCsvSeries(const std::string& path, const std::vector<std::string>& columns);

}  // namespace aaren::forecasting

#endif  // AAREN_MODEL_TASKS_FORECASTING_SERIES_CSV_H_
