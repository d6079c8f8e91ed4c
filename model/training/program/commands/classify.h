#ifndef AAREN_MODEL_TRAINING_PROGRAM_COMMANDS_CLASSIFY_H_
#define AAREN_MODEL_TRAINING_PROGRAM_COMMANDS_CLASSIFY_H_

// `aaren-train classify` trains a classifier of series on a .ts file, writes its package, and scores a second file.

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model/training/paper/experiments/served_classifier.h"

namespace aaren::training {

struct ClassifyLine {
  ServedClassifierOptions options;
  std::string output;  // folder of the package
  std::string name = "aaren-classifier", description;
  int threads = 1;
  std::string command;  // the typed command line
  std::string help;     // text for --help, if asked for
};

// Parses the arguments after `classify`. InvalidArgument names the flag and its value.
absl::StatusOr<ClassifyLine> ParseClassify(int argc, char** argv);

// Trains as long as `goes_on` says so, with a line for each epoch on standard error, writes the package, and prints the
// scores of the test file.
absl::Status ClassifyProgram(const ClassifyLine& line, const std::function<bool()>& goes_on);

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_PROGRAM_COMMANDS_CLASSIFY_H_
