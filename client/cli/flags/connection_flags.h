#ifndef AAREN_CLIENT_CLI_FLAGS_CONNECTION_FLAGS_H_
#define AAREN_CLIENT_CLI_FLAGS_CONNECTION_FLAGS_H_

// The flags of every subcommand that connects: where the server is, and how it is spoken to. Threading: a plain value.

#include <string>
#include <vector>

#include "aaren/client/channel.h"
#include "absl/status/statusor.h"
#include "model/command_line/flags.h"

namespace aaren::cli {

// Where a server listens unless its flags say otherwise.
inline constexpr char kDefaultTarget[] = "127.0.0.1:7860";

struct ConnectionFlags {
  std::string target = kDefaultTarget;
  bool tls = false;
  std::string tls_ca, tls_cert, tls_key, tls_server_name;
  std::string token_file;
  std::vector<std::string> metadata;

  // This outlives `flags`.
  void AddTo(command_line::Flags& flags);

  // INVALID_ARGUMENT, naming flag or file, if the flags do not fit together or a file is not what it should be.
  absl::StatusOr<client::ChannelOptions> Channel() const;

 private:
  absl::Status ReadMetadata(client::ChannelOptions& channel) const;
  absl::Status ReadTokens(client::ChannelOptions& channel) const;
};

// A command line to show to others: what --metadata says may be a secret, and is left out.
std::string ShownCommand(command_line::Arguments arguments);

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_FLAGS_CONNECTION_FLAGS_H_
