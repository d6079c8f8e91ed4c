#ifndef AAREN_CLIENT_CLI_SOURCES_CSV_CSV_FLAGS_H_
#define AAREN_CLIENT_CLI_SOURCES_CSV_CSV_FLAGS_H_

// The flags that say how CSV files are read. Threading: a plain value.

#include <string>

#include "absl/status/status.h"
#include "client/cli/sources/csv/csv_options.h"
#include "client/cli/sources/regular_source.h"
#include "model/command_line/flags.h"

namespace aaren::cli {

struct CsvFlags {
  CsvOptions csv;
  RegularTimesOptions times;

  // This outlives `flags`.
  void AddTo(command_line::Flags& flags);

  // INVALID_ARGUMENT, naming the flag.
  absl::Status Check() const;
};

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_SOURCES_CSV_CSV_FLAGS_H_
