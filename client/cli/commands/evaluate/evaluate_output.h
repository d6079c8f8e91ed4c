#ifndef AAREN_CLIENT_CLI_COMMANDS_EVALUATE_EVALUATE_OUTPUT_H_
#define AAREN_CLIENT_CLI_COMMANDS_EVALUATE_EVALUATE_OUTPUT_H_

// The output of aaren evaluate that all kinds of models share. Threading: plain functions.

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace aaren::cli {

// "3 of 7 series" on standard error, if that is a terminal: a log would keep every step of the progress.
void ShowProgress(size_t done, size_t all, absl::string_view what);

// Writes the scores to standard output; false, and said, if they cannot be written.
bool PrintScores(const std::string& text);

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_COMMANDS_EVALUATE_EVALUATE_OUTPUT_H_
