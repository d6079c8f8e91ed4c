#ifndef AAREN_CLIENT_CLI_SOURCES_AHEAD_FUTURE_ROWS_H_
#define AAREN_CLIENT_CLI_SOURCES_AHEAD_FUTURE_ROWS_H_

// FutureRows are the rows of a CSV file with what is known in advance: covariates that a session's source has in
// columns of the same names. The whole file is in memory. Threading: a plain value.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aaren/client/regular_series.h"
#include "absl/status/statusor.h"
#include "client/cli/sources/csv/csv.h"

namespace aaren::cli {

class FutureRows {
 public:
  // Takes the columns CsvOptions::future. INVALID_ARGUMENT if one of the file and its source has times and the other
  // has not.
  static absl::StatusOr<FutureRows> Read(const std::string& path, const CsvOptions& csv, bool has_times);

  // The covariates of the steps behind a time, or the first of the file without times: [up to `steps`, covariates].
  // The steps are those of a grid that has a step at the time; a step without a row is missing.
  std::vector<float> Behind(std::optional<int64_t> time_ns, client::RegularOptions grid, size_t steps) const;

 private:
  std::vector<CsvRow> rows_;  // in order of time
};

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_SOURCES_AHEAD_FUTURE_ROWS_H_
