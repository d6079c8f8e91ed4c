#ifndef AAREN_CLIENT_CLI_COMMAND_H_
#define AAREN_CLIENT_CLI_COMMAND_H_

// The subcommands of the program aaren. Each takes the arguments behind its name, prints to standard output, and
// returns the exit status: 0, 1 for a failure, 2 for a wrong command line, 128 + n if signal n ended it.

#include <string>

#include "absl/types/span.h"

namespace aaren::cli {

// Where a server listens unless its flags say otherwise.
inline constexpr char kDefaultTarget[] = "127.0.0.1:7860";

using Arguments = absl::Span<const std::string>;

int RunStream(Arguments arguments);
int RunEvaluate(Arguments arguments);
int RunSessions(Arguments arguments);
int RunModels(Arguments arguments);
int RunLoad(Arguments arguments);

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_COMMAND_H_
