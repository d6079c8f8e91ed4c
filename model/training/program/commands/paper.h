#ifndef AAREN_MODEL_TRAINING_PROGRAM_COMMANDS_PAPER_H_
#define AAREN_MODEL_TRAINING_PROGRAM_COMMANDS_PAPER_H_

// `aaren-train paper` runs the paper's comparisons of Aaren with the Transformer as a grid of cells, and writes a table
// beside the paper's figures and a page with curves.

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model/training/paper/grid/cell.h"

namespace aaren::training {

struct PaperLine {
  std::vector<PaperCell> cells;
  PaperSettings settings;
  std::string output;   // folder of results, table and page
  int threads = 1;      // all cells at once share the threads
  std::string command;  // the typed command line
  std::string help;     // text for --help, if asked for
};

// Parses the arguments after `paper`. InvalidArgument names the flag and its value.
absl::StatusOr<PaperLine> ParsePaper(int argc, char** argv);

// Runs the cells that have no result yet as long as `goes_on` says so, then writes table.md and report.html.
absl::Status PaperProgram(const PaperLine& line, const std::function<bool()>& goes_on);

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_PROGRAM_COMMANDS_PAPER_H_
