#include "model/training/events/event_trainer.h"

#include <torch/torch.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "model/nn/events/event_network.h"
#include "model/training/checkpoint.h"
#include "model/training/events/event_batch.h"
#include "model/training/events/event_loss.h"
#include "model/training/folder_lock.h"
#include "model/training/products.h"

namespace aaren::training {
namespace {

constexpr double kWarmUp = 50, kForget = 0.01;  // steps; what the running losses forget a step

double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

uint64_t TrainingSeed(const EventTrainOptions& options) { return 2 * options.seed; }
uint64_t HeldOutSeed(const EventTrainOptions& options) { return 2 * options.seed + 1; }

// Everything that the weights after `step` steps depend on, in readable form. The end of the rate counts once the rate
// falls.
std::string EventFingerprint(const EventTrainOptions& options, int64_t step) {
  std::string text = absl::StrCat("events input=", events::kEventInputVersion, " generator=", events::kGeneratorEdition,
                                  " seed=", options.seed, " batch=", options.rows, " tokens=", options.tokens,
                                  " lr=", options.optimizer.rate, " muon_lr=", options.optimizer.muon_rate,
                                  " clip=", options.optimizer.clip, " threads=", torch::get_num_threads(),
                                  BFloat16Products() ? " products=bfloat16" : "",
                                  options.from.has_value() ? absl::StrCat(" from=", options.from->digest) : "");
  if (step > options.HoldSteps()) absl::StrAppend(&text, " hold=", options.HoldSteps(), " steps=", options.steps);
  return text;
}

absl::Status CheckEventOptions(const EventTrainOptions& options) {
  const std::pair<const char*, int64_t> counts[] = {{"steps", options.steps},
                                                    {"batch", options.rows},
                                                    {"tokens", options.tokens},
                                                    {"checkpoint_every", options.checkpoint_every},
                                                    {"held_out", options.held_out_rows}};
  for (const auto& [name, value] : counts) {
    if (value < 1) return absl::InvalidArgumentError(absl::StrCat(name, " is ", value, ", must be at least 1"));
  }
  if (options.HoldSteps() <= options.steps) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("hold is ", options.hold, ", more than steps, ", options.steps));
}

class EventRun {
 public:
  explicit EventRun(const EventTrainOptions& options)
      : options_(options), network_(Seeded(options)), optimizer_(*network_, options.optimizer) {
    for (int64_t first = 0; first < options.held_out_rows; first += options.rows) {
      const int64_t rows = std::min(options.rows, options.held_out_rows - first);
      held_out_.push_back(DrawEventBatch(HeldOutSeed(options), first, rows, options.tokens));
    }
    progress_.steps = options.steps;
  }

  absl::Status Begin() {
    absl::Status status;
    if (options_.from.has_value()) status = nn::TakeEventWeights(*options_.from, network_);
    if (status.ok() && !options_.checkpoint.empty()) status = Resume();
    return status;
  }

  absl::Status Loop(const std::function<bool(const EventTrainProgress&)>& on_step) {
    while (state_.step < options_.steps) {
      absl::Status status = Step();
      if (!status.ok()) return status;
      const bool due = state_.step % options_.checkpoint_every == 0 || state_.step == options_.steps;
      progress_.checked = due;
      if (due) progress_.held_out = Check();
      const bool goes_on = on_step(progress_);
      if (due || !goes_on) status = Save();
      if (!status.ok()) return status;
      if (!goes_on) return absl::CancelledError(absl::StrCat("interrupted after step ", state_.step));
    }
    return absl::OkStatus();
  }

  EventTrainResult Finish() {
    EventTrainResult result = {.tensors = nn::TensorsOf(network_),
                               .steps = state_.step,
                               .parameters = 0,
                               .held_out = Check(),
                               .seconds = state_.seconds};
    for (const torch::Tensor& parameter : network_->parameters()) result.parameters += parameter.numel();
    return result;
  }

 private:
  static nn::EventNetwork Seeded(const EventTrainOptions& options) {
    torch::manual_seed(options.seed);
    return nn::EventNetwork();
  }

  TensorMap Weights() const {
    TensorMap weights;
    for (const auto& item : network_->named_parameters()) weights[item.key()] = item.value();
    return weights;
  }

  absl::Status Resume() {
    absl::StatusOr<std::unique_ptr<FolderLock>> lock = FolderLock::Take(options_.checkpoint);
    if (!lock.ok()) return lock.status();
    lock_ = *std::move(lock);
    absl::StatusOr<Checkpoint> loaded = LoadCheckpoint(options_.checkpoint);
    if (absl::IsNotFound(loaded.status())) return absl::OkStatus();
    if (!loaded.ok()) return loaded.status();
    const std::string fingerprint = EventFingerprint(options_, loaded->step);
    if (loaded->fingerprint != fingerprint) {
      return absl::FailedPreconditionError(absl::StrCat("the checkpoint in ", options_.checkpoint,
                                                        " is of another run: it has\n  ", loaded->fingerprint,
                                                        "\nand this one has\n  ", fingerprint));
    }
    state_ = *std::move(loaded);
    optimizer_.set_steps(state_.step);
    absl::Status status = CopyTensors(state_.weights, Weights());
    status.Update(CopyTensors(state_.optimizer, optimizer_.State()));
    return status;
  }

  absl::Status Step() {
    const auto start = std::chrono::steady_clock::now();
    const auto first = static_cast<uint64_t>(state_.step * options_.rows);
    const EventBatch batch = DrawEventBatch(TrainingSeed(options_), first, options_.rows, options_.tokens);
    const EventLoss loss = ComputeEventLoss(network_, batch);
    const torch::Tensor whole = loss.time + loss.mark;
    if (!std::isfinite(whole.item<double>())) {
      return absl::InternalError(
          absl::StrCat("the loss of step ", state_.step, " is ", whole.item<double>(), "; try a lower lr"));
    }
    if (whole.requires_grad()) whole.backward();
    optimizer_.Step(EventRateFactor(options_, state_.step));
    Account({.time = loss.time.item<double>(), .mark = loss.mark.item<double>()}, SecondsSince(start));
    return absl::OkStatus();
  }

  void Account(const EventLosses& loss, double seconds) {
    ++state_.step;
    ++steps_here_;
    state_.seconds += seconds;
    seconds_here_ += seconds;
    const double share = std::max(kForget, 1.0 / static_cast<double>(steps_here_));
    progress_.loss.time += share * (loss.time - progress_.loss.time);
    progress_.loss.mark += share * (loss.mark - progress_.loss.mark);
    progress_.step = state_.step;
    progress_.seconds = state_.seconds;
    progress_.tokens_per_second = static_cast<double>(steps_here_ * options_.rows * options_.tokens) / seconds_here_;
  }

  EventLosses Check() {
    torch::NoGradGuard no_grad;
    EventLosses losses;
    for (const EventBatch& batch : held_out_) {
      const EventLoss loss = ComputeEventLoss(network_, batch);
      const double share = static_cast<double>(batch.rows) / static_cast<double>(options_.held_out_rows);
      losses.time += share * loss.time.item<double>();
      losses.mark += share * loss.mark.item<double>();
    }
    return losses;
  }

  absl::Status Save() {
    if (options_.checkpoint.empty()) return absl::OkStatus();
    state_.fingerprint = EventFingerprint(options_, state_.step);
    state_.weights = Weights();
    state_.optimizer = optimizer_.State();
    return SaveCheckpoint(options_.checkpoint, state_);
  }

  const EventTrainOptions& options_;
  nn::EventNetwork network_;
  Optimizer optimizer_;
  std::vector<EventBatch> held_out_;
  std::unique_ptr<FolderLock> lock_;
  Checkpoint state_;
  EventTrainProgress progress_;
  int64_t steps_here_ = 0;
  double seconds_here_ = 0;
};

}  // namespace

double EventRateFactor(const EventTrainOptions& options, int64_t step) {
  const double done = static_cast<double>(step), steps = static_cast<double>(options.steps);
  const double hold = static_cast<double>(options.HoldSteps());
  const double risen = std::min(1.0, (done + 1) / kWarmUp);
  return step < options.HoldSteps() ? risen : risen * (steps - done) / (steps - hold);
}

absl::StatusOr<EventTrainResult> TrainEvents(const EventTrainOptions& options,
                                             const std::function<bool(const EventTrainProgress&)>& on_step) {
  if (absl::Status status = CheckEventOptions(options); !status.ok()) return status;
  try {
    EventRun run(options);
    absl::Status status = run.Begin();
    if (status.ok()) status = run.Loop(on_step);
    if (!status.ok()) return status;
    return run.Finish();
  } catch (const c10::Error& e) {  // torch's own errors end here, without the stack of what()
    return absl::InternalError(e.what_without_backtrace());
  } catch (const std::exception& e) {
    return absl::InternalError(e.what());
  }
}

}  // namespace aaren::training
