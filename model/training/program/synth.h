#ifndef AAREN_MODEL_TRAINING_PROGRAM_SYNTH_H_
#define AAREN_MODEL_TRAINING_PROGRAM_SYNTH_H_

// `aaren-train synth`: series of the generator as a CSV file, to use elsewhere, and as a sheet of charts, to look at.
// They follow from the numbers asked for alone. Series of CSV files may be drawn beside them, to compare.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace aaren::training {

struct SynthOptions {
  uint64_t seed = 1, first = 0;  // series first .. first + count - 1 of SyntheticSeries(seed, .)
  int count = 32, length = 1024;
  std::string family;               // of this family alone; empty: of all
  std::string csv, plot;            // files to write; empty: not
  std::vector<std::string> beside;  // CSV files whose series are drawn too, from their middle, as long
  std::string help;                 // what --help prints, where it was asked for
};

// From the arguments after `synth`. InvalidArgument names the flag and its value, or says that no file was asked for.
absl::StatusOr<SynthOptions> ParseSynth(int argc, char** argv);

// Writes the files. InvalidArgument for more than 100 million values; a file that cannot be read has its
// own error; Unavailable names the file that cannot be
// written.
absl::Status Synth(const SynthOptions& options);

// One column a series under its name, one row a step; an empty field is a missing value.
std::string SeriesCsv(const std::vector<std::string>& names, const std::vector<std::vector<double>>& series);

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_PROGRAM_SYNTH_H_
