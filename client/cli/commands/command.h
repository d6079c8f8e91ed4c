#ifndef AAREN_CLIENT_CLI_COMMANDS_COMMAND_H_
#define AAREN_CLIENT_CLI_COMMANDS_COMMAND_H_

// The subcommands of the program aaren. Each takes the arguments behind its name, prints to standard output, and
// returns the exit status: 0, 1 for a failure, 2 for a wrong command line, 128 + n for an end by signal n.

#include "model/command_line/flags.h"

namespace aaren::cli {

using command_line::Arguments;

int RunStream(Arguments arguments);
int RunEvaluate(Arguments arguments);
int RunSessions(Arguments arguments);
int RunModels(Arguments arguments);
int RunHealth(Arguments arguments);
int RunDebug(Arguments arguments);
int RunLoad(Arguments arguments);

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_COMMANDS_COMMAND_H_
