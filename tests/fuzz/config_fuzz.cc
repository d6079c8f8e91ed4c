// A settings file: parsed settings print as a file with the same settings.

#include <string>

#include "server/program/config/config.h"
#include "tests/fuzz/target.h"

namespace aaren::fuzz {

void RunConfig(absl::string_view bytes) {
  config::ServerConfig config;
  if (!config::ParseConfigText("file", std::string(bytes), config).ok()) return;
  const std::string printed = config::PrintConfig(config);
  config::ServerConfig again;
  Must(config::ParseConfigText("printed", printed, again).ok(), "printed settings are refused");
  Must(config::PrintConfig(again) == printed, "printed settings read as others");
}

}  // namespace aaren::fuzz
