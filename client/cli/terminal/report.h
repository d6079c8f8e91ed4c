#ifndef AAREN_CLIENT_CLI_TERMINAL_REPORT_H_
#define AAREN_CLIENT_CLI_TERMINAL_REPORT_H_

// A subcommand's messages to people: a line at a time, with all foreign text shown (shown.h). Errors and remarks go to
// standard error, after the program's name; answers to standard output.

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace aaren::cli {

inline constexpr int kSuccess = 0;
inline constexpr int kFailure = 1;
inline constexpr int kUsageError = 2;

// "aaren: message".
void Say(absl::string_view message);

// A line of an answer.
void PrintLine(absl::string_view line);

// The error of a server's answer, for people: "what: the server's message (NOT_FOUND)". OK stays OK. CANCELLED gets
// another code: in the program that code stands for an end by the user, or by the reader of the output.
absl::Status FromServer(absl::string_view what, const absl::Status& status);

// Says the message; returns kFailure.
int Fail(const absl::Status& status);

// Says the message and where to read on; returns kUsageError.
int FailUsage(absl::string_view subcommand, const absl::Status& status);

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_TERMINAL_REPORT_H_
