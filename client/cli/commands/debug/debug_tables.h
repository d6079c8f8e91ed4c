#ifndef AAREN_CLIENT_CLI_COMMANDS_DEBUG_DEBUG_TABLES_H_
#define AAREN_CLIENT_CLI_COMMANDS_DEBUG_DEBUG_TABLES_H_

// The output of aaren debug for people: tables on standard output. A list's header is printed apart, since the list
// comes page by page. Threading: functions.

#include <vector>

#include "aaren/client/admin.h"

namespace aaren::cli {

void PrintSettings(const client::ServerSettings& settings);
void PrintShards(const std::vector<client::ShardInfo>& shards);

void PrintStreamHeader();
void PrintStream(const client::StreamInfo& stream);

void PrintLiveSessionHeader();
void PrintLiveSession(const client::LiveSession& session);

void PrintWatched(const std::vector<client::WatchedSession>& sessions);

// "attached", "resting" or "demoted".
const char* StateOf(const client::SessionInfo& session);

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_COMMANDS_DEBUG_DEBUG_TABLES_H_
