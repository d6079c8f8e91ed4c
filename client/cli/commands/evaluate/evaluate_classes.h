#ifndef AAREN_CLIENT_CLI_COMMANDS_EVALUATE_EVALUATE_CLASSES_H_
#define AAREN_CLIENT_CLI_COMMANDS_EVALUATE_EVALUATE_CLASSES_H_

#include <string>

#include "client/cli/evaluate/class_evaluation.h"

namespace aaren::cli {

// The flags of `aaren evaluate --ts=FILE`.
struct EvaluateClassesLine {
  std::string path;
  ClassEvaluationOptions evaluation = {};
  bool json = false;
};

// Scores the file's cases and prints the table; returns the exit status.
int RunEvaluateClasses(const EvaluateClassesLine& line);

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_COMMANDS_EVALUATE_EVALUATE_CLASSES_H_
