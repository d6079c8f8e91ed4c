#include "client/cli/sources/ahead/future_rows.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace aaren::cli {

absl::StatusOr<FutureRows> FutureRows::Read(const std::string& path, const CsvOptions& csv, bool has_times) {
  absl::StatusOr<ByteSource> bytes = OpenBytes(path);
  if (!bytes.ok()) return bytes.status();
  // The file has the same dialect, and its own columns: here the covariates are what is read.
  CsvOptions options = csv;
  options.columns = csv.future;
  options.past = options.future = options.series_column = options.only_series = "";
  options.any_order = true;
  const absl::StatusOr<std::unique_ptr<CsvReader>> reader = CsvReader::Open(path, *std::move(bytes), options);
  if (!reader.ok()) return reader.status();
  if ((*reader)->has_times() != has_times) {
    return absl::InvalidArgumentError(absl::StrCat("--future_csv=", path, has_times ? " has no times" : " has times",
                                                   ", unlike the rows before it; --time_column names the column"));
  }
  FutureRows future;
  CsvRow row;
  absl::StatusOr<bool> any;
  while ((any = (*reader)->Next(row)).ok() && *any) future.rows_.push_back(row);
  if (!any.ok()) return any.status();
  std::stable_sort(future.rows_.begin(), future.rows_.end(),
                   [](const CsvRow& a, const CsvRow& b) { return a.time_ns < b.time_ns; });
  return future;
}

std::vector<float> FutureRows::Behind(std::optional<int64_t> time_ns, client::RegularOptions grid, size_t steps) const {
  std::vector<float> values;
  if (rows_.empty()) return values;
  // All rows are here: no step waits for late rows.
  grid.late_steps = 0;
  grid.at_once = false;
  grid.covariates = rows_[0].values.size();
  if (!time_ns) grid.step = client::TimeStep();
  client::RegularSeries series(grid.covariates, grid);
  if (time_ns) series.GoOnBehind(*time_ns);
  const auto first = std::partition_point(rows_.begin(), rows_.end(),
                                          [&](const CsvRow& row) { return time_ns && row.time_ns <= *time_ns; });
  client::RegularRow step;
  const auto take = [&] {
    while (values.size() < steps * grid.covariates && series.Next(step)) {
      values.insert(values.end(), step.values.begin(), step.values.end());
    }
    return values.size() < steps * grid.covariates;
  };
  for (auto row = first; row != rows_.end() && take(); ++row) series.Add(row->time_ns, row->values);
  series.End();
  take();
  return values;
}

}  // namespace aaren::cli
