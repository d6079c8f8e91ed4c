#ifndef AAREN_SERVER_PROGRAM_CHECK_SETTINGS_H_
#define AAREN_SERVER_PROGRAM_CHECK_SETTINGS_H_

// Settings that are right one by one and wrong together, or beyond what this build has. What a single setting may be
// stands in server/config/server_config.proto.

#include "absl/status/status.h"
#include "server/config/config.h"

namespace aaren::program {

// InvalidArgument, which begins with the setting's name.
absl::Status CheckSettings(const config::ServerConfig& config);

}  // namespace aaren::program

#endif  // AAREN_SERVER_PROGRAM_CHECK_SETTINGS_H_
