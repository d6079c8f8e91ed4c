#ifndef AAREN_CLIENT_CLI_COMMANDS_STREAM_STREAM_OPTIONS_H_
#define AAREN_CLIENT_CLI_COMMANDS_STREAM_STREAM_OPTIONS_H_

#include "aaren/client/event_marks.h"
#include "client/cli/commands/stream/stream_flags.h"
#include "client/cli/stream/forecast_stream.h"

namespace aaren::cli {

// The options of a stream, except for the options that depend on the model. Without a name in the flags, the session of
// a record is found again by the path of the file on this machine. A stream without name and record has a new session,
// deleted at the end.
ForecastStreamOptions StreamOptions(const StreamFlags& stream);

// `names` outlives the options.
EventStreamOptions EventOptions(const StreamFlags& stream, client::MarkNames& names);

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_COMMANDS_STREAM_STREAM_OPTIONS_H_
