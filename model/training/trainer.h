#ifndef AAREN_MODEL_TRAINING_TRAINER_H_
#define AAREN_MODEL_TRAINING_TRAINER_H_

// The training loop. Everything follows from the options. Two runs with equal options and thread counts end with the
// same bits on a CPU, also if one run was killed and resumed from its checkpoint.
//
// Several processes train one model like a single process with the same options, up to the rounding of sums: each
// computes every count-th row of a batch, and the gradients are summed. Process 0 alone reads and writes checkpoints.
//
// Threading: one run at a time in a process; torch's own threads work inside a step.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "model/nn/forecaster/forecaster.h"
#include "model/package/config.h"
#include "model/package/package.h"
#include "model/training/history.h"
#include "model/training/loss/quality.h"
#include "model/training/optimizer.h"
#include "model/training/processes.h"
#include "model/training/source.h"

namespace aaren::training {

struct TrainOptions {
  package::ForecasterConfig config;
  OptimizerOptions optimizer;
  double average = 0.998;              // the share that the weights' moving average keeps per step
  torch::Device device = torch::kCPU;  // CUDA only after LoadTorchCuda returned OK
  uint64_t seed = 1;                   // of the weights; the data have the source's
  int64_t steps = 2400;
  int rows = 64;       // crops per step, at `context` values
  int context = 1024;  // values per crop; a step takes half, once, twice or four times as many
  int64_t validate_every = 100;
  int validation_rows = 120;  // held-out crops; five of each family of synthetic series
  int patience = 10;          // checks without a better one before the run stops; 0: never
  std::string checkpoint;     // folder; empty: no checkpoints
  int64_t checkpoint_every = 100;
  std::optional<package::ModelPackage> init;  // the initial weights, where these fit; empty: random
  std::string data = "synthetic";             // names the source in messages about a checkpoint of other data
  std::vector<ValidationFile> validation;     // scored at each check, only for the history
  const Processes* processes = nullptr;       // outlives the run; null: this process alone
  bool keeps_best_when_stopped = false;       // a run that `on_step` stops then ends with the best weights so far
};

struct TrainProgress {
  int64_t step = 0, steps = 0;       // steps done, and steps in all
  double loss = 0;                   // running mean over about 20 steps
  double held_out_loss = 0;          // the averaged weights' loss at the last check; 0 before
  bool checked = false;              // true if this step ended with a check
  double tokens_per_second = 0;      // since this process began
  double seconds = 0;                // since the run began, with earlier processes
  int64_t parameters = 0;            // number of the model's parameters
  const History* history = nullptr;  // so far; valid during the call
};

struct TrainResult {
  nn::Forecaster forecaster{nullptr};  // the averaged weights with the least held-out loss
  int64_t steps = 0;                   // steps done
  double held_out_loss = 0;
  double seconds = 0;
  bool stopped_early = false;
  int64_t parameters = 0;
  HeldOutQuality held_out;  // quality of these weights
  History history;
};

// Trains, or continues from the checkpoint in options.checkpoint. `on_step` runs after each step; false stops the run
// like a kill (Cancelled), or as options.keeps_best_when_stopped says. A run that begins with a package is checked
// before its first step, so the result is no worse on held-out series than the package. InvalidArgument for options out
// of range. FailedPrecondition if the checkpoint has other options (both are named), if another run has the folder, or
// as from TakeWeights. Unavailable if the folder cannot be made. Internal if the loss is no longer finite.
absl::StatusOr<TrainResult> Train(const TrainOptions& options, const SeriesSource& source,
                                  const std::function<bool(const TrainProgress&)>& on_step);

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_TRAINER_H_
