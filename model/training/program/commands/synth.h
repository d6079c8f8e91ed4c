#ifndef AAREN_MODEL_TRAINING_PROGRAM_COMMANDS_SYNTH_H_
#define AAREN_MODEL_TRAINING_PROGRAM_COMMANDS_SYNTH_H_

// `aaren-train synth`: series of the generator as a CSV file, for other programs, and as a sheet of charts, for the
// eye. The series follow from the options alone. Series of CSV files may be drawn beside them for comparison.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace aaren::training {

struct SynthOptions {
  uint64_t seed = 1, first = 0;  // series first .. first + count - 1 of SyntheticSeries(seed, .)
  int count = 32, length = 1024;
  std::string family;               // draw this family alone; empty: all families
  std::string csv, plot;            // files to write; empty: not written
  std::vector<std::string> beside;  // CSV files whose series are drawn too: their middle, equally long
  std::string help;                 // text for --help, if asked for
};

// Parses the arguments after `synth`. InvalidArgument names the flag and its value, or says: no file was asked for.
absl::StatusOr<SynthOptions> ParseSynth(int argc, char** argv);

// Writes the files. InvalidArgument for more than 100 million values. An input file that cannot be read has its own
// error. Unavailable names an output file that cannot be written.
absl::Status Synth(const SynthOptions& options);

// A column per series under the series' name, a row per step; an empty field is a missing value.
std::string SeriesCsv(const std::vector<std::string>& names, const std::vector<std::vector<double>>& series);

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_PROGRAM_COMMANDS_SYNTH_H_
