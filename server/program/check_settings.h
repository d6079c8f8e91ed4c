#ifndef AAREN_SERVER_PROGRAM_CHECK_SETTINGS_H_
#define AAREN_SERVER_PROGRAM_CHECK_SETTINGS_H_

// Checks settings that are right alone and wrong together, or beyond this build.
// server/program/config/server_config.proto has the limits of single settings.

#include "absl/status/status.h"
#include "server/program/config/config.h"

namespace aaren::program {

// InvalidArgument, beginning with the setting's name.
absl::Status CheckSettings(const config::ServerConfig& config);

}  // namespace aaren::program

#endif  // AAREN_SERVER_PROGRAM_CHECK_SETTINGS_H_
