#ifndef AAREN_MODEL_TRAINING_PROGRAM_COMMAND_LINE_H_
#define AAREN_MODEL_TRAINING_PROGRAM_COMMAND_LINE_H_

// The checked flags of aaren-train as one value: the trainer's options (trainer.h), the source of the data, and the
// place for the package. command_line.cc declares each flag with its default and help. Files are opened later.
// Threading: plain values.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "model/training/trainer.h"

namespace aaren::training {

struct CommandLine {
  TrainOptions options;
  uint64_t data_seed = 0;
  int threads = 1;
  bool cuda = false;                                        // train on a GPU
  bool bfloat16_products = false;                           // on a CPU
  std::vector<std::string> csv_files;                       // empty: synthetic series
  std::vector<std::string> columns;                         // empty: every numeric column
  std::vector<std::pair<std::string, int>> validation_csv;  // files and their seasons, for the report
  std::string init;                                         // folder of the package to begin with; empty: none
  std::string output;                                       // folder of the package
  std::string name = "aaren-custom", description;
  std::string text;                                        // the command as typed
  std::vector<std::pair<std::string, std::string>> flags;  // every flag with its value
  std::string help;                                        // text for --help, if asked for
};

// Parses the flags. InvalidArgument names the flag and its value.
absl::StatusOr<CommandLine> ParseCommandLine(int argc, char** argv);

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_PROGRAM_COMMAND_LINE_H_
