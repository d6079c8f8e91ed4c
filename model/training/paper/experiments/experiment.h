#ifndef AAREN_MODEL_TRAINING_PAPER_EXPERIMENTS_EXPERIMENT_H_
#define AAREN_MODEL_TRAINING_PAPER_EXPERIMENTS_EXPERIMENT_H_

// The paper's experiments (README.md tells each protocol): a cell is trained and tested. No torch in this header.

#include <vector>

#include "absl/status/statusor.h"
#include "model/training/paper/grid/cell.h"

namespace aaren::training {

// Trains and tests the cell on `threads` threads. Sets the process's random numbers and its arithmetic, so a process
// runs one cell. Errors name the file, or the dataset. Internal for an error of torch.
absl::StatusOr<PaperResult> RunPaperCell(const PaperCell& cell, const PaperSettings& settings, int threads,
                                         const EpochReport& report);

// The parts of RunPaperCell, which may throw c10::Error. Time and memory of the result are not set.
absl::StatusOr<PaperResult> RunClassification(const PaperCell& cell, const PaperSettings& settings,
                                              const EpochReport& report);
absl::StatusOr<PaperResult> RunForecasting(const PaperCell& cell, const PaperSettings& settings,
                                           const EpochReport& report);
absl::StatusOr<PaperResult> RunEvents(const PaperCell& cell, const PaperSettings& settings, const EpochReport& report);

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_PAPER_EXPERIMENTS_EXPERIMENT_H_
