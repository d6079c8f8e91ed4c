#ifndef AAREN_CLIENT_CLI_COMMANDS_STREAM_STREAM_FLAGS_H_
#define AAREN_CLIENT_CLI_COMMANDS_STREAM_STREAM_FLAGS_H_

// The command line of aaren stream. Threading: a plain value.

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "client/cli/flags/connection_flags.h"
#include "client/cli/flags/durability_flag.h"
#include "client/cli/flags/event_flags.h"
#include "client/cli/flags/level_flags.h"
#include "client/cli/flags/refinement_flags.h"
#include "client/cli/sources/csv/csv_flags.h"
#include "client/cli/sources/events/event_file_flags.h"
#include "model/command_line/flags.h"

namespace aaren::cli {

struct StreamFlags {
  ConnectionFlags connection;
  client::ChannelOptions channel;  // from the flags of the connection
  std::string csv, future_csv, source, session, model, output;
  CsvFlags rows;
  EventFileFlags file;
  EventFlags events;
  bool text = false;
  uint32_t horizon = 24, every = 1;
  LevelFlags quantiles;
  RefinementFlags refinement;
  DurabilityFlag durability;
  std::optional<double> alert;
  absl::Duration interval = absl::Seconds(1), duration = absl::InfiniteDuration();
  absl::Duration connect_timeout = absl::Seconds(30);
  bool alert_early = false, alerts_only = false, retry = false, json = false;

  // The table of all flags. This outlives the table.
  command_line::Flags Table();

  // INVALID_ARGUMENT, naming the flags, if no server and no file could make the command line right. Else reads
  // `channel` from the flags of the connection, and fails with the error of a file that they name.
  absl::Status Check();

  // The name of the rows' source in messages.
  std::string SourceName() const;

 private:
  absl::Status CheckSource() const;
  absl::Status CheckWords() const;
  absl::Status CheckCovariates() const;
  absl::Status CheckAlerts() const;
};

// True for a file that can be read a second time: no pipe, no device, and not standard input, whose path is "-".
bool IsRegularFile(const std::string& path);

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_COMMANDS_STREAM_STREAM_FLAGS_H_
