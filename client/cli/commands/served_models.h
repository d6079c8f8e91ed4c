#ifndef AAREN_CLIENT_CLI_COMMANDS_SERVED_MODELS_H_
#define AAREN_CLIENT_CLI_COMMANDS_SERVED_MODELS_H_

// Commands ask these questions about a server's models before they open a session. Each question is asked again until
// `timeout` while the server cannot be reached, and is CANCELLED if interrupted.

#include <string>

#include "aaren/client/channel.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/cli/terminal/interrupt.h"

namespace aaren::cli {

// The model for a new session of events where the user names none: the server's default model if that is of events,
// else the latest version of the first model of events by name. NOT_FOUND if the server has no model of events.
absl::StatusOr<std::string> FindEventModel(const std::string& target, const client::ChannelOptions& channel,
                                           absl::Duration timeout, const Interrupt& interrupt);

// The kind of the model that a user names as name, name:version or name@label. Empty if the server does not offer the
// model.
absl::StatusOr<std::string> KindOfModel(const std::string& target, const client::ChannelOptions& channel,
                                        const std::string& model, absl::Duration timeout, const Interrupt& interrupt);

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_COMMANDS_SERVED_MODELS_H_
