#ifndef AAREN_CLIENT_CLI_COMMANDS_STREAM_STREAM_MODEL_H_
#define AAREN_CLIENT_CLI_COMMANDS_STREAM_STREAM_MODEL_H_

#include "absl/status/status.h"
#include "client/cli/commands/stream/stream_flags.h"
#include "client/cli/stream/forecast_stream.h"
#include "client/cli/terminal/interrupt.h"

namespace aaren::cli {

// Asks the server for the model that the session has or will have, and sets the options that depend on the model: the
// name of a model of events for events, and for rows if the model is a classifier. INVALID_ARGUMENT, naming the flag
// and the model, if the flags do not suit a model of that kind; CANCELLED if interrupted; else as ServedModels.
absl::Status ChooseModel(const StreamFlags& stream, const Interrupt& interrupt, ForecastStreamOptions& options);

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_COMMANDS_STREAM_STREAM_MODEL_H_
