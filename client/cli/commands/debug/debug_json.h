#ifndef AAREN_CLIENT_CLI_COMMANDS_DEBUG_DEBUG_JSON_H_
#define AAREN_CLIENT_CLI_COMMANDS_DEBUG_DEBUG_JSON_H_

// The output of aaren debug --json, an object a line. Threading: functions.

#include <string>

#include "aaren/client/admin.h"

namespace aaren::cli {

std::string ToJson(const client::Setting& setting);
std::string ToJson(const client::ShardInfo& shard);
std::string ToJson(const client::StreamInfo& stream);
std::string ToJson(const client::LiveSession& live);
std::string ToJson(const client::WatchedSession& watched);

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_COMMANDS_DEBUG_DEBUG_JSON_H_
