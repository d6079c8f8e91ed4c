#ifndef AAREN_CLIENT_CLI_SOURCES_EVENTS_EVENT_FILE_FLAGS_H_
#define AAREN_CLIENT_CLI_SOURCES_EVENTS_EVENT_FILE_FLAGS_H_

// The flags that say how files of events are read. Files of events share --time_column, --time_format, --series_column,
// --delimiter, --late and --from_start with files of points. Threading: a plain value.

#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "client/cli/sources/csv/csv_flags.h"
#include "client/cli/sources/events/event_reader.h"
#include "model/command_line/flags.h"

namespace aaren::cli {

struct EventFileFlags {
  std::string path, mark_column;
  absl::Duration time_unit = absl::ZeroDuration();  // 0: times are dates, or numbers since 1970

  // This outlives `flags`.
  void AddTo(command_line::Flags& flags);

  EventFileOptions Options(const CsvOptions& csv) const;

  // INVALID_ARGUMENT, naming the flag, for options that no file could make right, and for flags of values beside a file
  // of events.
  absl::Status Check(const CsvFlags& rows) const;
};

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_SOURCES_EVENTS_EVENT_FILE_FLAGS_H_
