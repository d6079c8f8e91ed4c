#ifndef AAREN_CLIENT_CLI_SOURCES_SERIES_LIST_H_
#define AAREN_CLIENT_CLI_SOURCES_SERIES_LIST_H_

// The series of a CSV file that holds several in one column. Threading: plain functions.

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/cli/sources/csv/csv_options.h"

namespace aaren::cli {

// The texts of --series_column, in the order in which they appear. REQUIRES: the option is set.
absl::StatusOr<std::vector<std::string>> SeriesOf(const std::string& path, const CsvOptions& options);

// A series' name as a part of a session's id: other characters than letters, digits and -._ are %XX.
std::string SessionPart(const std::string& series);

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_SOURCES_SERIES_LIST_H_
