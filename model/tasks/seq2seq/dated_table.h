#ifndef AAREN_MODEL_TASKS_SEQ2SEQ_DATED_TABLE_H_
#define AAREN_MODEL_TASKS_SEQ2SEQ_DATED_TABLE_H_

// A table of series over dates, as the public sets of long-horizon forecasting have it: a CSV file with the column
// `date` first and then a column of numbers per series. And the parts of such a table that a comparison trains on and
// tests on, with the borders that are in general use for each set.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace aaren::seq2seq {

inline constexpr int kClockNumbers = 4;

struct DatedTable {
  std::vector<std::string> columns;
  std::vector<float> values;  // [rows, columns]
  std::vector<float> clock;   // [rows, 4]: hour, weekday, day of month and of year, each from -0.5 to 0.5

  int64_t rows() const { return static_cast<int64_t>(clock.size()) / kClockNumbers; }
};

// Rows begin .. end - 1.
struct Rows {
  int64_t begin = 0, end = 0;
};

// The rows of the targets of a part.
struct Parts {
  Rows train, validation, test;
};

// Reads `path`, or `path`.gz. NotFound if both are absent; DataLoss if the compressed data are broken. InvalidArgument,
// with file and line: a date not like 2016-07-01 00:00:00, no finite number, a ragged row, or no rows.
absl::StatusOr<DatedTable> ReadDatedTable(const std::string& path);

// Months of the sets ETTh1, ETTh2, ETTm1 and ETTm2, 12 + 4 + 4 of 30 days. Other sets: 70 %, 10 % and 20 % of the rows.
Parts PartsOf(const std::string& dataset, int64_t rows);

// Subtracts the mean of each column over the training rows, and divides by their population standard deviation. A
// constant column is divided by 1. REQUIRES: the rows are in the table, at least one.
void Standardise(const Rows& train, DatedTable& table);

}  // namespace aaren::seq2seq

#endif  // AAREN_MODEL_TASKS_SEQ2SEQ_DATED_TABLE_H_
