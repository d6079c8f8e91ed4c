#ifndef AAREN_CLIENT_CLI_COMMANDS_SERVED_MODELS_H_
#define AAREN_CLIENT_CLI_COMMANDS_SERVED_MODELS_H_

// ServedModels asks a server about models before a command opens a session: the options of a session depend on the kind
// of the model. Each question is asked again, for `timeout`, while the server cannot be reached: then UNAVAILABLE, or
// DEADLINE_EXCEEDED from a server that does not answer. CANCELLED if interrupted. Threading: one thread; calls block.

#include <string>

#include "aaren/client/channel.h"
#include "aaren/client/model_info.h"
#include "aaren/client/models.h"
#include "aaren/client/sessions.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/cli/terminal/interrupt.h"

namespace aaren::cli {

class ServedModels {
 public:
  // `interrupt` outlives the ServedModels.
  ServedModels(const std::string& target, const client::ChannelOptions& channel, absl::Duration timeout,
               const Interrupt& interrupt);

  // The model for a new session of events where the user names none: the server's default model if the default is of
  // events, else the latest version of the first model of events by name. NOT_FOUND without a model of events.
  absl::StatusOr<std::string> NameOfEventModel() const;

  // The model that a user names as name, name:version or name@label; the server's default if `model` is empty. Without
  // a name if the server does not tell: the Open then says why there is no such model.
  absl::StatusOr<client::ModelInfo> Named(const std::string& model) const;

  // The model of a session. Without a name if the server has no session of that id, or does not tell.
  absl::StatusOr<client::ModelInfo> OfSession(const std::string& id) const;

 private:
  template <typename Ask>
  auto Patiently(const Ask& ask) const -> decltype(ask());

  const std::string target_;
  const absl::Duration timeout_;
  const Interrupt& interrupt_;
  const client::Models models_;
  const client::Sessions sessions_;
};

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_COMMANDS_SERVED_MODELS_H_
