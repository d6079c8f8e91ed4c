#ifndef AAREN_MODEL_TRAINING_PROGRAM_COMMAND_LINE_H_
#define AAREN_MODEL_TRAINING_PROGRAM_COMMAND_LINE_H_

// The flags of aaren-train, checked, as one value.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "model/training/trainer.h"

namespace aaren::training {

struct CommandLine {
  TrainOptions options;
  uint64_t data_seed = 1;
  int threads = 1;
  bool cuda = false;                                        // train on a GPU
  std::vector<std::string> csv_files;                       // empty: synthetic series
  std::vector<std::string> columns;                         // empty: every numeric column
  std::vector<std::pair<std::string, int>> validation_csv;  // files and their seasons, for the report
  std::string init;                                         // folder of the package to begin with; empty: none
  std::string output;                                       // folder of the package
  std::string name, description;
  std::string text;                                        // the command as typed
  std::vector<std::pair<std::string, std::string>> flags;  // every flag, with its value
  bool help = false;
};

// Sets those of the arguments after the first that are among the `known` flags, up to --help, which is left to the
// caller. InvalidArgument names the argument and what is wrong with it.
absl::Status SetFlags(absl::Span<const absl::string_view> known, int argc, char** argv, bool& help);

// A line about each flag, as --help prints it.
std::string ListFlags(absl::Span<const absl::string_view> names);

// InvalidArgument naming the flag and its value.
absl::StatusOr<CommandLine> ParseCommandLine(int argc, char** argv);

// What --help prints.
std::string Help();

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_PROGRAM_COMMAND_LINE_H_
