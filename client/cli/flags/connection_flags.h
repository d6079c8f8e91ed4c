#ifndef AAREN_CLIENT_CLI_FLAGS_CONNECTION_FLAGS_H_
#define AAREN_CLIENT_CLI_FLAGS_CONNECTION_FLAGS_H_

// The flags of every subcommand that connects: the server's address, and the way to talk to it. Threading: a plain
// value.

#include <string>
#include <vector>

#include "aaren/client/channel.h"
#include "absl/status/statusor.h"
#include "model/command_line/flags.h"

namespace aaren::cli {

// The address of a server without flags.
inline constexpr char kDefaultTarget[] = "127.0.0.1:7860";

struct ConnectionFlags {
  std::string target = kDefaultTarget;
  bool tls = false;
  std::string tls_ca, tls_cert, tls_key, tls_server_name;
  std::string token_file;
  std::vector<std::string> metadata;

  // The ConnectionFlags outlive `flags`.
  void AddTo(command_line::Flags& flags);

  // INVALID_ARGUMENT, naming flag or file, if the flags contradict each other or a file has the wrong content.
  absl::StatusOr<client::ChannelOptions> Channel() const;

 private:
  absl::Status ReadMetadata(client::ChannelOptions& channel) const;
  absl::Status ReadTokens(client::ChannelOptions& channel) const;
};

// A command line for other people's eyes: values of --metadata may be secrets, and are left out.
std::string ShownCommand(command_line::Arguments arguments);

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_FLAGS_CONNECTION_FLAGS_H_
