#ifndef AAREN_MODEL_TRAINING_EVENTS_EVENT_TRAINER_H_
#define AAREN_MODEL_TRAINING_EVENTS_EVENT_TRAINER_H_

// The training loop of the forecaster of events. Every step takes new sequences of its source, which follow from the
// seed and the step's number. So a killed run resumes bit for bit.
//
// The rate warms up over 50 steps, stays, and from step `hold` on falls in a straight line to 0 at step `steps`. A run
// whose rate does not yet fall may resume with another `hold` and `steps`.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "model/engine/events/event_package.h"
#include "model/training/events/event_source.h"
#include "model/training/optimizer.h"

namespace aaren::training {

struct EventTrainOptions {
  uint64_t seed = 1;  // seeds weights and data
  int64_t steps = 20000;
  int64_t hold = -1;                // steps at the full rate; below 0: two fifths of `steps`
  int64_t rows = 16, tokens = 256;  // sequences a step, and tokens of a sequence
  OptimizerOptions optimizer;
  std::string checkpoint;  // folder; empty: none
  int64_t checkpoint_every = 200;
  int64_t held_out_rows = 48;           // held-out sequences at most, scored at every checkpoint
  const EventSource* source = nullptr;  // outlives the run; null: the generator, with this seed
  int patience = 0;  // checks without a better one before the run ends, with the best weights; 0: the last weights
  bool keeps_best_when_stopped = false;      // a run with patience that `on_step` stops ends so, too
  std::optional<events::EventPackage> from;  // weights to begin with

  int64_t HoldSteps() const { return hold < 0 ? steps * 2 / 5 : hold; }
};

// Losses in nats a token: of the next interval, and of the next mark.
struct EventLosses {
  double time = 0, mark = 0;
};

struct EventTrainProgress {
  int64_t step = 0, steps = 0;   // step: done
  EventLosses loss;              // the training's, averaged over about 100 steps
  EventLosses held_out;          // the newest check's
  bool checked = false;          // the held-out sequences were scored after this very step
  double tokens_per_second = 0;  // since this process began
  double seconds = 0;            // since the run began, with earlier processes
};

struct EventTrainResult {
  std::map<std::string, package::Tensor> tensors;  // for an EventPackage
  int64_t steps = 0, parameters = 0;
  EventLosses held_out;
  double seconds = 0;
};

// The factor on the rates in a step.
double EventRateFactor(const EventTrainOptions& options, int64_t step);

// Trains, or continues from the checkpoint. `on_step` runs after each step; false ends the run with a checkpoint
// (Cancelled), or as options.keeps_best_when_stopped says. InvalidArgument for options out of range. FailedPrecondition
// if the checkpoint has other options (both are named) or another run has the folder. Unavailable if a checkpoint
// cannot be written; the one before stays. Internal if the loss is no longer finite.
absl::StatusOr<EventTrainResult> TrainEvents(const EventTrainOptions& options,
                                             const std::function<bool(const EventTrainProgress&)>& on_step);

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_EVENTS_EVENT_TRAINER_H_
