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

// The setting's value with a mask in the place of names and passwords. Names and passwords stand before the last @ of a
// URL, and in front of the address of a Redis or a collector: "redis://me:secret@host:1" is "redis://***@host:1".
std::string Masked(absl::string_view setting, absl::string_view value);

}  // namespace aaren::admin

#endif  // AAREN_SERVER_OPERATE_ADMIN_SETTINGS_LIST_H_
