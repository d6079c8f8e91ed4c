#include "model/training/fit/fit_data.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "model/tasks/forecasting/series_csv.h"

namespace aaren::training {
namespace {

using forecasting::CsvSeries;

// Columns of the file, [groups of --series_column, columns].
absl::StatusOr<std::vector<CsvSeries>> ReadColumns(const FitLine& line, const std::vector<std::string>& columns) {
  absl::StatusOr<std::vector<CsvSeries>> read = forecasting::ReadCsvSeries(line.csv, columns, line.series_column);
  if (!read.ok()) return read.status();
  for (CsvSeries& one : *read) std::replace(one.values.begin(), one.values.end(), line.missing, std::nan(""));
  return read;
}

// Gives each series the covariates of its group.
absl::Status AddCovariates(const FitLine& line, std::vector<CsvSeries> read, std::vector<BacktestSeries>& series) {
  std::vector<std::string> columns = line.past;
  columns.insert(columns.end(), line.future.begin(), line.future.end());
  absl::StatusOr<std::vector<CsvSeries>> beside = ReadColumns(line, columns);
  if (!beside.ok()) return beside.status();
  std::set<std::string> names;
  for (const CsvSeries& one : *beside) names.insert(one.name);
  const size_t groups = beside->size() / columns.size(), of_group = read.size() / groups;
  for (size_t i = 0; i < read.size(); ++i) {
    if (names.count(read[i].name) > 0) continue;  // without --columns every column of numbers is read
    series.push_back({.name = std::move(read[i].name), .values = std::move(read[i].values)});
    const auto first = beside->begin() + static_cast<int64_t>(i / of_group * columns.size());
    for (size_t k = 0; k < columns.size(); ++k) series.back().covariates.push_back(first[k].values);
  }
  if (!series.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(line.csv, " has no column of numbers but the covariates"));
}

}  // namespace

size_t HeldBack(size_t rows, int horizon) { return std::max<size_t>(horizon, rows / 10); }

absl::StatusOr<std::vector<BacktestSeries>> ReadFitData(const FitLine& line, int horizon) {
  absl::StatusOr<std::vector<CsvSeries>> read = ReadColumns(line, line.columns);
  if (!read.ok()) return read.status();
  std::vector<BacktestSeries> series;
  if (line.past.empty() && line.future.empty()) {
    for (CsvSeries& one : *read) series.push_back({.name = std::move(one.name), .values = std::move(one.values)});
  } else if (absl::Status status = AddCovariates(line, *std::move(read), series); !status.ok()) {
    return status;
  }
  std::vector<std::string> left;
  const size_t least = 3 * static_cast<size_t>(horizon);
  for (const BacktestSeries& one : series) {
    if (one.values.size() <= least) left.push_back(absl::StrCat(one.name, " (", one.values.size(), ")"));
  }
  std::erase_if(series, [least](const BacktestSeries& one) { return one.values.size() <= least; });
  if (series.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(line.csv, ": a horizon of ", horizon, " needs series of more than ",
                                                   least, " rows; these have fewer: ", absl::StrJoin(left, ", ")));
  }
  if (!left.empty()) {
    absl::FPrintF(stderr, "aaren-train: left out, with %d rows or fewer: %s\n", least, absl::StrJoin(left, ", "));
  }
  return series;
}

}  // namespace aaren::training
