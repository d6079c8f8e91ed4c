#ifndef AAREN_CLIENT_CLI_FLAGS_DURABILITY_FLAG_H_
#define AAREN_CLIENT_CLI_FLAGS_DURABILITY_FLAG_H_

// The flag --durability: how much of a session outlives its server (proto/aaren/v1/stream.proto, Open.Durability).
// Threading: a plain value.

#include <string>

#include "aaren/client/session_options.h"
#include "model/command_line/flags.h"

namespace aaren::cli {

struct DurabilityFlag {
  std::string name;  // empty: the server's default

  // The DurabilityFlag outlives `flags`.
  void AddTo(command_line::Flags& flags);

  client::Durability Durability() const;
};

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_FLAGS_DURABILITY_FLAG_H_
