#ifndef AAREN_MODEL_TRAINING_CHECKPOINT_H_
#define AAREN_MODEL_TRAINING_CHECKPOINT_H_

// A checkpoint is all that a training run remembers between two steps. Data follow from the step's number, so a run
// that resumes from one ends with the very weights of a run that was never interrupted.

#include <torch/types.h>

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace aaren::training {

using TensorMap = std::map<std::string, torch::Tensor>;

struct Checkpoint {
  std::string fingerprint;  // of all that must be equal for a run to go on
  int64_t step = 0;         // steps done
  double seconds = 0;       // spent on them
  double best_loss = 0;     // on held-out series, of `best`
  int64_t checks_since_best = 0;
  TensorMap weights, optimizer;
  TensorMap average;  // exponential moving average of the weights
  TensorMap best;     // the average with the best loss
  TensorMap history;  // curves for the report; empty in checkpoints that have none
};

// Writes <folder>/checkpoint.pt, creating the folder. The file is replaced in one rename, so a kill at any instant
// leaves the old or the new one whole.
absl::Status SaveCheckpoint(const std::string& folder, const Checkpoint& checkpoint);

// NotFound if the folder has none; DataLoss if it cannot be read.
absl::StatusOr<Checkpoint> LoadCheckpoint(const std::string& folder);

// Copies contents of the same names and shapes; FailedPrecondition names the first that differs.
absl::Status CopyTensors(const TensorMap& from, const TensorMap& to);

// Independent copies.
TensorMap CloneTensors(const TensorMap& tensors);

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_CHECKPOINT_H_
