#ifndef AAREN_SERVER_PROGRAM_CONFIG_CONFIG_H_
#define AAREN_SERVER_PROGRAM_CONFIG_CONFIG_H_

// The server's settings, from a file and from flags. --config=FILE reads a ServerConfig in protobuf's text format, and
// --NAME=VALUE sets the field NAME, whatever the file says. Every unknown name and value out of range is an error with
// the name, and for a file with the line.

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/program/config/server_config.pb.h"

namespace aaren::config {

struct CommandLine {
  ServerConfig config;        // every field is set
  bool print_config = false;  // --print_config
  std::string answer;         // output of --help or --version; if not empty, nothing else is set
};

// InvalidArgument or NotFound (of the file).
absl::StatusOr<CommandLine> ParseCommandLine(const std::vector<std::string>& arguments);

// Reads `text`, the content of `file`; fields not in the text keep their values in `config`.
absl::Status ParseConfigText(const std::string& file, const std::string& text, ServerConfig& config);

// The text of a settings file with these settings.
std::string PrintConfig(const ServerConfig& config);

// REQUIRES: `text` is a setting checked to be a duration.
absl::Duration ToDuration(const std::string& text);

}  // namespace aaren::config

#endif  // AAREN_SERVER_PROGRAM_CONFIG_CONFIG_H_
