#ifndef AAREN_MODEL_TASKS_FORECASTING_SERIES_CSV_H_
#define AAREN_MODEL_TASKS_FORECASTING_SERIES_CSV_H_

// Reads the series of a CSV file: a header line, then one row per time step, one column per series. A file may instead
// have rows of several series one below the other, which a column of names tells apart. CRLF line ends, a
// byte-order mark and quoted fields are accepted. An empty field, NA, NaN and null are missing values. If no columns
// are named, a column whose first field is no number is a time column and is skipped.

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace aaren::forecasting {

struct CsvSeries {
  std::string name;            // name of the column, after the name in the column of series if there is one
  std::vector<double> values;  // NaN where missing
};

// The named columns in the given order, or every numeric column if `columns` is empty. Where `series_column` is not
// empty, rows with equal texts there make up a series of each column. NotFound: the file or a column.
// InvalidArgument: a ragged row, text or an infinity instead of a number, no rows, or no usable column. Errors name the
// file, and the row and column if known.
absl::StatusOr<std::vector<CsvSeries>> ReadCsvSeries(const std::string& path, const std::vector<std::string>& columns,
                                                     const std::string& series_column = "");

}  // namespace aaren::forecasting

#endif  // AAREN_MODEL_TASKS_FORECASTING_SERIES_CSV_H_
