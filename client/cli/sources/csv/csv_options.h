#ifndef AAREN_CLIENT_CLI_SOURCES_CSV_CSV_OPTIONS_H_
#define AAREN_CLIENT_CLI_SOURCES_CSV_CSV_OPTIONS_H_

// CsvOptions is the user's description of a CSV file, completed by the reader. Threading: a plain value.

#include <optional>
#include <string>
#include <vector>

#include "client/cli/sources/time/time_format.h"

namespace aaren::cli {

struct CsvOptions {
  std::string columns = {};                     // names, themselves a CSV record; empty: all but the times' column
  std::string past = {};                        // names of the covariates known with their row, as of `columns`
  std::string future = {};                      // names of the covariates known in advance
  std::string time_column = {};                 // empty: found from names and first rows; "-": none
  std::string time_format = {};                 // see TimeFormat::FromName; empty: found from the rows
  std::string delimiter = {};                   // one character, "tab" or "space"; empty: found
  std::string decimal = {};                     // "." or ","; empty: found
  std::vector<std::string> missing = {};        // numbers and words for a missing value, beside the usual words
  std::string series_column = {};               // the column whose text tells several series apart
  std::string only_series = {};                 // … and the one series that is read; empty: all
  bool any_order = false;                       // times may go back
  std::optional<TimeFormat> found_format = {};  // found by an earlier reader of this file
};

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_SOURCES_CSV_CSV_OPTIONS_H_
