#ifndef AAREN_MODEL_TRAINING_CHECKPOINT_H_
#define AAREN_MODEL_TRAINING_CHECKPOINT_H_

// A checkpoint holds all memory of a training run between two steps. The data follow from the step's number. So a run
// that resumes from a checkpoint ends with exactly the weights of a run without interruption.

#include <torch/nn/module.h>
#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model/training/folder_lock.h"

namespace aaren::training {

using TensorMap = std::map<std::string, torch::Tensor>;

struct Checkpoint {
  std::string fingerprint;  // all options that must be equal to continue a run
  int64_t step = 0;         // steps done
  double seconds = 0;       // time of these steps
  double best_loss = 0;     // held-out loss of `best`
  int64_t checks_since_best = 0;
  TensorMap weights, optimizer;
  TensorMap average;  // exponential moving average of the weights
  TensorMap best;     // the average with the best loss
  TensorMap history;  // curves for the report; may be empty in old checkpoints
};

// Writes <folder>/checkpoint.pt, creating the folder. The file is replaced in one rename, so a kill at any moment
// leaves the old or the new file whole.
absl::Status SaveCheckpoint(const std::string& folder, const Checkpoint& checkpoint);

// NotFound if the folder has no checkpoint; DataLoss if the checkpoint cannot be read.
absl::StatusOr<Checkpoint> LoadCheckpoint(const std::string& folder);

// A run's folder of checkpoints, reserved for the run while this object lives.
struct CheckpointFolder {
  std::unique_ptr<FolderLock> lock;
  std::optional<Checkpoint> newest;  // nullopt in a folder without a checkpoint
};

// Reserves the folder and reads its checkpoint. `fingerprint` tells the run's fingerprint after so many steps.
// FailedPrecondition if another run has the folder, or if the checkpoint is of a run with another fingerprint (both are
// named). Other errors are those of FolderLock::Take and LoadCheckpoint.
absl::StatusOr<CheckpointFolder> OpenCheckpoints(const std::string& folder,
                                                 const std::function<std::string(int64_t)>& fingerprint);

// The module's parameters by name; they share the module's memory.
TensorMap ParametersOf(const torch::nn::Module& module);

// Copies contents between tensors of equal names and shapes. FailedPrecondition names the first tensor that differs.
absl::Status CopyTensors(const TensorMap& from, const TensorMap& to);

// Independent copies of the tensors.
TensorMap CloneTensors(const TensorMap& tensors);

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_CHECKPOINT_H_
