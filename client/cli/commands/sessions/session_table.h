#ifndef AAREN_CLIENT_CLI_COMMANDS_SESSIONS_SESSION_TABLE_H_
#define AAREN_CLIENT_CLI_COMMANDS_SESSIONS_SESSION_TABLE_H_

// How `aaren sessions` shows a session: as a JSON object, or as a row of a table on standard output.

#include <string>

#include "aaren/client/sessions.h"

namespace aaren::cli {

// All fields, without a line end.
std::string SessionJson(const client::SessionInfo& session);

void PrintSessionHeader();
void PrintSession(const client::SessionInfo& session);

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_COMMANDS_SESSIONS_SESSION_TABLE_H_
