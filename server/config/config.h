#ifndef AAREN_SERVER_CONFIG_CONFIG_H_
#define AAREN_SERVER_CONFIG_CONFIG_H_

// The server's settings, from a file and from flags. --config=FILE reads a ServerConfig in protobuf's text format, and
// --NAME=VALUE sets the field of that name, whatever the file says. Anything unknown or out of range is an error that
// names it, and for a file its line.

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/config/server_config.pb.h"

namespace aaren::config {

struct CommandLine {
  ServerConfig config;        // every field is set
  bool print_config = false;  // --print_config
  std::string answer;         // what --help or --version prints; the rest is then not set
};

// InvalidArgument or NotFound (of the file).
absl::StatusOr<CommandLine> ParseCommandLine(const std::vector<std::string>& arguments);

// `text` as the content of `file`; for fields that it does not name `config` keeps its values.
absl::Status ParseConfigText(const std::string& file, const std::string& text, ServerConfig& config);

// As a settings file that gives the same settings.
std::string PrintConfig(const ServerConfig& config);

// REQUIRES: `text` is a setting that was checked to be a duration.
absl::Duration ToDuration(const std::string& text);

}  // namespace aaren::config

#endif  // AAREN_SERVER_CONFIG_CONFIG_H_
