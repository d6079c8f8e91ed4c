#ifndef AAREN_SERVER_OPERATE_ADMIN_SETTINGS_LIST_H_
#define AAREN_SERVER_OPERATE_ADMIN_SETTINGS_LIST_H_

// The settings in the form for operators.

#include <string>

#include "aaren/v1/admin.pb.h"
#include "absl/strings/string_view.h"
#include "server/program/config/config.h"

namespace aaren::admin {

// Every field of `config` with its value, and whether the value is the default.
void FillSettings(const config::ServerConfig& config, v1::GetSettingsResponse& response);

// Masks each part of a comma-separated text before its last @, where URLs have names and passwords:
// "redis://me:secret@host:1" is "redis://***@host:1". A file's path stays unchanged.
std::string Masked(absl::string_view value);

}  // namespace aaren::admin

#endif  // AAREN_SERVER_OPERATE_ADMIN_SETTINGS_LIST_H_
