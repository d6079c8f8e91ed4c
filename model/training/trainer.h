#ifndef AAREN_MODEL_TRAINING_TRAINER_H_
#define AAREN_MODEL_TRAINING_TRAINER_H_

// The training loop. Everything in it follows from the options. Two runs with the same options and thread count end, on
// a CPU, with the same bits, and so does a run that was killed and resumed from its checkpoint.
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
#include "model/training/source.h"

namespace aaren::training {

struct TrainOptions {
  package::ForecasterConfig config;
  OptimizerOptions optimizer;
  double average = 0.998;  // of the exponential moving average of the weights, which is what a run ends with
  torch::Device device = torch::kCPU;  // CUDA once LoadTorchCuda was OK
  uint64_t seed = 1;
  int64_t steps = 2400;
  int rows = 64;       // crops a step, at `context` values
  int context = 1024;  // values a crop; a step takes half, once, twice or four times as many
  int64_t validate_every = 100;
  int validation_rows = 120;  // held-out crops; five of each family of synthetic series
  int patience = 10;          // stop after so many checks on held-out series without a better one; 0: never
  std::string checkpoint;     // folder; empty: no checkpoints
  int64_t checkpoint_every = 100;
  std::optional<package::ModelPackage> init;  // whose weights to begin with, where they fit; empty: random ones
  std::string data = "synthetic";             // what the source is, for the checkpoint's fingerprint
  std::vector<ValidationFile> validation;     // scored at each check, for the history alone
};

struct TrainProgress {
  int64_t step = 0, steps = 0;       // steps done, and of how many
  double loss = 0;                   // running mean over about 20 steps
  double held_out_loss = 0;          // of the averaged weights at the newest check; 0 before the first
  bool checked = false;              // this step ended with a check
  double tokens_per_second = 0;      // since this process began
  double seconds = 0;                // since the run began, earlier processes included
  int64_t parameters = 0;            // of the model
  const History* history = nullptr;  // so far; valid during the call
};

struct TrainResult {
  nn::Forecaster forecaster{nullptr};  // the averaged weights with the least held-out loss
  int64_t steps = 0;                   // done
  double held_out_loss = 0;
  double seconds = 0;
  bool stopped_early = false;
  int64_t parameters = 0;
  HeldOutQuality held_out;  // of these weights
  History history;
};

// Trains, or goes on from options.checkpoint if that folder has a checkpoint. `on_step` runs after each step; returning
// false abandons the run as a kill would (Cancelled). InvalidArgument for options out of range. FailedPrecondition if
// the checkpoint was made with other options, naming both, or another run has its folder, or as TakeWeights has it.
// Unavailable if that folder cannot be made. Internal if the loss is no longer finite.
absl::StatusOr<TrainResult> Train(const TrainOptions& options, const SeriesSource& source,
                                  const std::function<bool(const TrainProgress&)>& on_step);

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_TRAINER_H_
