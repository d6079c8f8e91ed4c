#ifndef AAREN_CLIENT_CLI_COMMANDS_EVENT_MODEL_H_
#define AAREN_CLIENT_CLI_COMMANDS_EVENT_MODEL_H_

#include <string>

#include "aaren/client/channel.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/cli/terminal/interrupt.h"

namespace aaren::cli {

// The model for a new session of events where the user names none: the server's default model if that is of events,
// else the latest version of the first model of events by name. Asks again until `timeout` while the server cannot be
// reached. NOT_FOUND if the server has no model of events; CANCELLED if interrupted.
absl::StatusOr<std::string> FindEventModel(const std::string& target, const client::ChannelOptions& channel,
                                           absl::Duration timeout, const Interrupt& interrupt);

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_COMMANDS_EVENT_MODEL_H_
