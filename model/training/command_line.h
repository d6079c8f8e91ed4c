#ifndef AAREN_MODEL_TRAINING_COMMAND_LINE_H_
#define AAREN_MODEL_TRAINING_COMMAND_LINE_H_

// The flags of aaren-train, checked, as one value.

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model/training/trainer.h"

namespace aaren {

struct CommandLine {
  TrainOptions options;
  int threads = 1;
  std::vector<std::string> csv_files;  // empty: synthetic series
  std::vector<std::string> columns;    // empty: every numeric column
  std::string output;                  // folder of the package
  std::string name, description;
  std::string text;  // the command as typed
  bool help = false;
};

// InvalidArgument naming the flag and its value.
absl::StatusOr<CommandLine> ParseCommandLine(int argc, char** argv);

// What --help prints.
std::string Help();

}  // namespace aaren

#endif  // AAREN_MODEL_TRAINING_COMMAND_LINE_H_
