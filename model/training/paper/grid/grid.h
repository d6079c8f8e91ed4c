#ifndef AAREN_MODEL_TRAINING_PAPER_GRID_GRID_H_
#define AAREN_MODEL_TRAINING_PAPER_GRID_GRID_H_

// Runs the cells of a grid, each in a process of its own, as many at once as there are cores. A process of its own
// gives a cell its peak memory and its random numbers, and a cell that fails leaves the others alone. Processes end
// with the grid, however the grid ends.

#include <cstdio>
#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "model/training/paper/grid/cell.h"

namespace aaren::training {

struct GridOptions {
  std::string folder;  // the results' folder; created if absent
  int processes = 1;   // at once
  PaperSettings settings;
  FILE* progress = stderr;
};

// Runs one cell in its own process. Seconds, CPU time and peak memory are filled in by the grid.
using CellRunner = std::function<absl::StatusOr<PaperResult>(const PaperCell&, const EpochReport&)>;

// Runs the cells that have no result yet, in order. A line of progress tells every epoch, and every complete cell with
// what is left. Returns the results of all cells, in order. Cancelled once `goes_on` says false. The first error of a
// cell ends the grid, with the cell's name, after the cells under way are complete. FailedPrecondition if another grid
// has the folder, or a result was made with other settings. REQUIRES: no other thread in this process.
absl::StatusOr<std::vector<PaperResult>> RunGrid(const std::vector<PaperCell>& cells, const GridOptions& options,
                                                 const CellRunner& run, const std::function<bool()>& goes_on);

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_PAPER_GRID_GRID_H_
