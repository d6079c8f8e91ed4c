#include "model/training/events/event_trainer.h"

#include <torch/torch.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "model/nn/events/event_network.h"
#include "model/training/checkpoint.h"
#include "model/training/events/event_batch.h"
#include "model/training/events/event_loss.h"
#include "model/training/products.h"

namespace aaren::training {
namespace {

constexpr double kWarmUp = 50, kForget = 0.01;  // steps; what the running losses forget a step

double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Everything that the weights after `step` steps depend on, in readable form. The end of the rate counts once the rate
// falls.
std::string EventFingerprint(const EventTrainOptions& options, const EventSource& source, int64_t step) {
  std::string text =
      absl::StrCat("events input=", events::kEventInputVersion, " ", source.Fingerprint(), " seed=", options.seed,
                   " batch=", options.rows, " tokens=", options.tokens, " lr=", options.optimizer.rate,
                   " muon_lr=", options.optimizer.muon_rate, " clip=", options.optimizer.clip,
                   " threads=", torch::get_num_threads(), BFloat16Products() ? " products=bfloat16" : "",
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
      : options_(options),
        generator_(GeneratedEvents(options.seed)),
        source_(options.source != nullptr ? *options.source : *generator_),
        network_(Seeded(options)),
        optimizer_(*network_, options.optimizer) {
    for (int64_t first = 0; first < options.held_out_rows; first += options.rows) {
      const int64_t rows = std::min(options.rows, options.held_out_rows - first);
      held_out_.push_back(source_.DrawHeldOut(first, rows, options.tokens));
      if (held_out_.back().rows == 0) held_out_.pop_back();
    }
    state_.best_loss = std::numeric_limits<double>::infinity();
    progress_.steps = options.steps;
  }

  absl::Status Begin() {
    absl::Status status;
    if (options_.from.has_value()) status = nn::TakeEventWeights(*options_.from, network_);
    if (status.ok() && !options_.checkpoint.empty()) status = Resume();
    return status;
  }

  absl::Status Loop(const std::function<bool(const EventTrainProgress&)>& on_step) {
    if (state_.step == 0 && options_.patience > 0 && options_.from.has_value()) Keep(Check());
    while (state_.step < options_.steps && !Impatient()) {
      absl::Status status = Step();
      if (!status.ok()) return status;
      const bool due = state_.step % options_.checkpoint_every == 0 || state_.step == options_.steps;
      progress_.checked = due;
      if (due) Keep(progress_.held_out = Check());
      const bool goes_on = on_step(progress_);
      if (due || !goes_on) status = Save();
      if (!status.ok()) return status;
      if (!goes_on && options_.keeps_best_when_stopped && !state_.best.empty()) break;
      if (!goes_on) return absl::CancelledError(absl::StrCat("interrupted after step ", state_.step));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<EventTrainResult> Finish() {
    if (!state_.best.empty()) {
      if (absl::Status status = CopyTensors(state_.best, ParametersOf(*network_)); !status.ok()) return status;
    }
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

  absl::Status Resume() {
    absl::StatusOr<CheckpointFolder> folder =
        OpenCheckpoints(options_.checkpoint, [&](int64_t step) { return EventFingerprint(options_, source_, step); });
    if (!folder.ok()) return folder.status();
    lock_ = std::move(folder->lock);
    if (!folder->newest.has_value()) return absl::OkStatus();
    state_ = *std::move(folder->newest);
    optimizer_.set_steps(state_.step);
    absl::Status status = CopyTensors(state_.weights, ParametersOf(*network_));
    status.Update(CopyTensors(state_.optimizer, optimizer_.State()));
    return status;
  }

  absl::Status Step() {
    const auto start = std::chrono::steady_clock::now();
    const EventBatch batch = source_.Draw(state_.step, options_.rows, options_.tokens);
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
    double whole = 0;
    for (const EventBatch& batch : held_out_) {
      const EventLoss loss = ComputeEventLoss(network_, batch);
      // A batch counts by its weights, because recorded streams have different numbers of scored events.
      const double weight = std::accumulate(batch.weights.begin(), batch.weights.end(), 0.0);
      losses.time += weight * loss.time.item<double>();
      losses.mark += weight * loss.mark.item<double>();
      whole += weight;
    }
    return whole > 0 ? EventLosses{.time = losses.time / whole, .mark = losses.mark / whole} : losses;
  }

  bool Impatient() const { return options_.patience > 0 && state_.checks_since_best >= options_.patience; }

  // Keeps the weights if these losses are the least so far.
  void Keep(const EventLosses& losses) {
    if (options_.patience == 0) return;
    ++state_.checks_since_best;
    if (!(losses.time + losses.mark < state_.best_loss)) return;
    state_.best_loss = losses.time + losses.mark;
    state_.checks_since_best = 0;
    state_.best = CloneTensors(ParametersOf(*network_));
  }

  absl::Status Save() {
    if (options_.checkpoint.empty()) return absl::OkStatus();
    state_.fingerprint = EventFingerprint(options_, source_, state_.step);
    state_.weights = ParametersOf(*network_);
    state_.optimizer = optimizer_.State();
    return SaveCheckpoint(options_.checkpoint, state_);
  }

  const EventTrainOptions& options_;
  const std::unique_ptr<EventSource> generator_;
  const EventSource& source_;
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
