#include "model/training/trainer.h"

#include <torch/torch.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <future>
#include <limits>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "model/nn/forecaster/import.h"
#include "model/package/package.h"
#include "model/training/batch.h"
#include "model/training/checkpoint.h"
#include "model/training/loss/loss.h"
#include "model/training/products.h"

namespace aaren::training {
namespace {

using Clock = std::chrono::steady_clock;

double Since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// The loss of this process's rows of a batch, as a share of the loss of all processes.
struct ShareOfLoss {
  torch::Tensor loss;    // adds up to the loss of the whole batch
  torch::Tensor tokens;  // float64 scalar, adds up to the batch's
};

// Everything that the weights depend on, in readable form for messages about a mismatch.
std::string Fingerprint(const TrainOptions& options, const SeriesSource& source) {
  const package::ForecasterConfig& config = options.config;
  return absl::StrCat(
      "input=", package::InputVersion(config), " data=", options.data, " ", source.Fingerprint(),
      " seed=", options.seed, " steps=", options.steps, " batch=", options.rows, " context=", options.context,
      " lr=", options.optimizer.rate, " muon_lr=", options.optimizer.muon_rate, " clip=", options.optimizer.clip,
      " average=", options.average, " validate_every=", options.validate_every, " patience=", options.patience,
      " ring=", config.ring, " width=", config.width, " layers=", config.layers, " heads=", config.heads,
      " value_width=", config.value_width, " embed_hidden=", config.embed_hidden, " mlp_hidden=", config.mlp_hidden,
      " horizon=", config.horizon, " fold_every=", config.fold_every, " history=", config.history,
      " quantiles=", absl::StrJoin(config.quantiles, ","), " threads=", torch::get_num_threads(),
      BFloat16Products() ? " products=bfloat16" : "",
      options.device.is_cpu() ? "" : absl::StrCat(" device=", options.device.str()),
      options.processes == nullptr || options.processes->count() == 1
          ? ""
          : absl::StrCat(" processes=", options.processes->count()),
      options.init.has_value() ? absl::StrCat(" init=", options.init->digest) : "");
}

absl::Status CheckPositive(const char* name, int64_t value) {
  if (value >= 1) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(name, " is ", value, ", must be at least 1"));
}

absl::Status CheckOptions(const TrainOptions& options) {
  absl::Status status = options.config.Validate();
  status.Update(CheckPositive("steps", options.steps));
  status.Update(CheckPositive("batch", options.rows));
  status.Update(CheckPositive("context", options.context));
  status.Update(CheckPositive("validate_every", options.validate_every));
  status.Update(CheckPositive("checkpoint_every", options.checkpoint_every));
  for (const ValidationFile& file : options.validation) status.Update(CheckValidationFile(options.config, file));
  if (status.ok() && !(options.average >= 0 && options.average < 1)) {
    status = absl::InvalidArgumentError(absl::StrCat("average is ", options.average, ", must be in [0, 1)"));
  }
  if (status.ok() && !(options.optimizer.clip > 0)) {
    status = absl::InvalidArgumentError(absl::StrCat("clip is ", options.optimizer.clip, ", must be above 0"));
  }
  if (status.ok() &&
      options.config.width % options.config.heads != 0) {  // a query is cut into heads; packages have none
    status = absl::InvalidArgumentError(
        absl::StrCat("width is ", options.config.width, ", not divisible by heads, which is ", options.config.heads));
  }
  return status;
}

// Copies tensors to the CPU, because a checkpoint may be read without a GPU.
TensorMap OnCpu(TensorMap tensors) {
  for (auto& [name, tensor] : tensors) tensor = tensor.to(torch::kCPU);
  return tensors;
}

class Run {
 public:
  Run(const TrainOptions& options, const SeriesSource& source)
      : options_(options),
        source_(source),
        forecaster_(Seeded(options)),
        // The average starts from the weights of the run, hence from the same seed.
        averaged_(Seeded(options)),
        optimizer_(*forecaster_, options.optimizer),
        held_out_(HeldOutBatch(options.config, source, options.validation_rows, 2 * options.context)) {
    state_.fingerprint = Fingerprint(options, source);
    state_.best_loss = std::numeric_limits<double>::infinity();
    for (const torch::Tensor& parameter : forecaster_->parameters()) parameters_ += parameter.numel();
  }

  absl::Status Begin() {
    if (!options_.init.has_value()) return absl::OkStatus();
    absl::Status status = nn::TakeWeights(*options_.init, forecaster_).status();
    status.Update(nn::TakeWeights(*options_.init, averaged_).status());
    return status;
  }

  absl::Status Resume() {
    if (options_.checkpoint.empty() || !First()) return absl::OkStatus();
    absl::StatusOr<CheckpointFolder> folder =
        OpenCheckpoints(options_.checkpoint, [&](int64_t) { return state_.fingerprint; });
    if (!folder.ok()) return folder.status();
    lock_ = std::move(folder->lock);
    if (!folder->newest.has_value()) return absl::OkStatus();
    state_ = *std::move(folder->newest);
    history_ = History::FromTensors(state_.history);
    // AdamW's correction of bias counts the steps.
    optimizer_.set_steps(state_.step);
    absl::Status status = CopyTensors(state_.weights, ParametersOf(*forecaster_));
    status.Update(CopyTensors(state_.average, ParametersOf(*averaged_)));
    status.Update(CopyTensors(state_.optimizer, optimizer_.State()));
    return status;
  }

  // Gives every process the checkpoint that process 0 read.
  void Share() {
    if (!Together()) return;
    const torch::Tensor numbers =
        torch::tensor({static_cast<double>(state_.step), state_.seconds, state_.best_loss,
                       static_cast<double>(state_.checks_since_best), state_.best.empty() ? 0.0 : 1.0},
                      torch::kFloat64);
    options_.processes->Copy({numbers});
    const double* number = numbers.const_data_ptr<double>();
    state_.step = static_cast<int64_t>(number[0]);
    state_.seconds = number[1];
    state_.best_loss = number[2];
    state_.checks_since_best = static_cast<int64_t>(number[3]);
    optimizer_.set_steps(state_.step);
    if (number[4] != 0 && state_.best.empty()) state_.best = CloneTensors(OnCpu(ParametersOf(*averaged_)));
    for (const TensorMap& tensors :
         {ParametersOf(*forecaster_), ParametersOf(*averaged_), optimizer_.State(), state_.best}) {
      std::vector<torch::Tensor> all;
      for (const auto& [name, tensor] : tensors) all.push_back(tensor);
      if (!all.empty()) options_.processes->Copy(all);
    }
  }

  absl::Status Loop(const std::function<bool(const TrainProgress&)>& on_step) {
    if (state_.step == 0 && options_.init.has_value()) Check();
    while (state_.step < options_.steps && !Impatient()) {
      absl::Status status = Step();
      if (!status.ok()) return status;
      const bool goes_on = AllGoOn(on_step(progress_));
      if (!goes_on && options_.keeps_best_when_stopped && !state_.best.empty()) return Save();
      if (!goes_on) return absl::CancelledError(absl::StrCat("interrupted after step ", state_.step));
      if (state_.step % options_.checkpoint_every == 0 || state_.step == options_.steps) status = Save();
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::StatusOr<TrainResult> Finish() {
    forecaster_->to(torch::kCPU);
    const absl::Status status = CopyTensors(state_.best, ParametersOf(*forecaster_));
    if (!status.ok()) return status;
    return TrainResult{.forecaster = forecaster_,
                       .steps = state_.step,
                       .held_out_loss = state_.best_loss,
                       .seconds = state_.seconds,
                       .stopped_early = state_.step < options_.steps,
                       .parameters = parameters_,
                       .held_out = Score(forecaster_, held_out_),
                       .history = history_};
  }

 private:
  static nn::Forecaster Seeded(const TrainOptions& options) {
    torch::manual_seed(options.seed);
    nn::Forecaster forecaster(options.config);
    forecaster->to(options.device);
    return forecaster;
  }

  bool Together() const { return options_.processes != nullptr && options_.processes->count() > 1; }
  bool First() const { return !Together() || options_.processes->rank() == 0; }

  // True if every process goes on: all processes stop after the same step.
  bool AllGoOn(bool goes_on) const {
    if (!Together()) return goes_on;
    const torch::Tensor stops = torch::tensor(goes_on ? 0.0 : 1.0);
    options_.processes->Sum({stops});
    return stops.item<double>() == 0;
  }

  // Computes this process's rows of a batch. All processes call this function together.
  ShareOfLoss ComputeShare(nn::Forecaster& forecaster, const Batch& batch) const {
    const auto tokens = [](int64_t count) { return torch::tensor(static_cast<double>(count), torch::kFloat64); };
    if (!Together()) {
      const BatchLoss whole = ComputeLoss(forecaster, batch);
      return {.loss = whole.loss, .tokens = tokens(whole.tokens)};
    }
    const Batch own = batch.EveryRow(options_.processes->rank(), options_.processes->count());
    const torch::Tensor none = torch::zeros({}, options_.device);
    // A batch of long crops may have fewer rows than processes.
    const BatchLoss computed = own.values.size(0) > 0 ? ComputeLoss(forecaster, own) : BatchLoss{none, none, 0};
    const torch::Tensor all = computed.targets.detach().to(torch::kFloat64).clone();
    options_.processes->Sum({all});
    const torch::Tensor share = computed.targets / all.clamp_min(1).to(computed.targets);
    return {.loss = computed.loss * share, .tokens = tokens(computed.tokens)};
  }

  // The loss of a whole batch, without gradients.
  double WholeLoss(nn::Forecaster& forecaster, const Batch& batch) const {
    torch::NoGradGuard no_grad;
    const torch::Tensor loss = ComputeShare(forecaster, batch).loss.to(torch::kFloat64).clone();
    if (Together()) options_.processes->Sum({loss});
    return loss.item<double>();
  }

  // Sums the gradients and the share over all processes.
  void SumShares(const ShareOfLoss& share) const {
    if (!Together()) return;
    std::vector<torch::Tensor> sums = {share.loss.detach(), share.tokens};
    for (torch::Tensor& parameter : forecaster_->parameters()) {
      if (!parameter.grad().defined()) parameter.mutable_grad() = torch::zeros_like(parameter);
      sums.push_back(parameter.grad());
    }
    options_.processes->Sum(sums);
  }

  bool Impatient() const { return options_.patience > 0 && state_.checks_since_best >= options_.patience; }

  absl::Status Step() {
    const Clock::time_point start = Clock::now();
    const Batch batch = TakeBatch();
    const ShareOfLoss share = ComputeShare(forecaster_, batch);
    if (share.loss.requires_grad()) share.loss.backward();
    SumShares(share);
    const double loss = share.loss.item<double>();
    const auto tokens = static_cast<int64_t>(share.tokens.item<double>());
    // The newest checkpoint stays usable without a step from this loss.
    if (!std::isfinite(loss)) {
      return absl::InternalError(absl::StrCat("the loss of step ", state_.step, " is ", loss, "; try a lower lr"));
    }
    optimizer_.Step(RateFactor(state_.step, options_.steps));
    ++state_.step;
    Average();
    history_.AddStep(state_.step, options_.steps, loss, tokens, Since(start));
    progress_.checked = state_.step % options_.validate_every == 0 || state_.step == options_.steps;
    if (progress_.checked) Check();
    Account(loss, tokens, Since(start));
    return absl::OkStatus();
  }

  // Takes the next batch. While a GPU works, the CPU already draws the batch after.
  Batch TakeBatch() {
    const Batch batch = next_batch_.valid() ? next_batch_.get() : DrawBatch(state_.step);
    // A batch follows from source and step alone: a batch drawn ahead is the batch drawn later.
    if (!options_.device.is_cpu()) {
      next_batch_ = std::async(std::launch::async, [this, step = state_.step + 1] { return DrawBatch(step); });
    }
    return batch;
  }

  Batch DrawBatch(int64_t step) const {
    return TrainingBatch(options_.config, source_, step, options_.rows, options_.context);
  }

  // Averages over all steps until the steps suffice for options_.average.
  void Average() {
    torch::NoGradGuard no_grad;
    const double keep = std::min(options_.average, (1.0 + state_.step) / (10.0 + state_.step));
    const TensorMap newest = ParametersOf(*forecaster_);
    for (auto& [name, tensor] : ParametersOf(*averaged_)) torch::Tensor(tensor).lerp_(newest.at(name), 1 - keep);
  }

  void Check() {
    torch::NoGradGuard no_grad;
    const double loss = WholeLoss(averaged_, held_out_);
    progress_.held_out_loss = loss;
    const double step = static_cast<double>(state_.step);
    history_.AddCheck({.step = step, .loss = loss});
    CheckGroups();
    for (const ValidationFile& file : options_.validation) {
      const FileQuality quality = Score(averaged_, file);
      history_.AddQuality(file.name, {.step = step, .mase = quality.mase, .relative = quality.relative});
    }
    ++state_.checks_since_best;
    // The negated comparison treats a loss of NaN as no better.
    if (!(loss < state_.best_loss)) return;
    state_.best_loss = loss;
    state_.checks_since_best = 0;
    // The average changes in place at every step, so the best weights are a copy.
    state_.best = CloneTensors(OnCpu(ParametersOf(*averaged_)));
  }

  // Splits the loss on held-out series by group, only for the report.
  void CheckGroups() {
    const std::vector<std::string> names = source_.HeldOutGroups();
    const int64_t rows = held_out_.values.size(0), count = static_cast<int64_t>(names.size());
    for (int64_t i = 0; i < std::min(count, rows); ++i) {
      // Held-out series go through the groups in turn (source.cc), so group i has every count-th row from row i on.
      const double loss = WholeLoss(averaged_, held_out_.EveryRow(i, count));
      history_.AddGroup(names[i], {.step = static_cast<double>(state_.step), .loss = loss});
    }
  }

  void Account(double loss, int64_t tokens, double seconds) {
    state_.seconds += seconds;
    seconds_here_ += seconds;
    tokens_here_ += tokens;
    // The factor 0.05 makes a running mean over about 20 steps.
    progress_.loss = progress_.step == 0 ? loss : progress_.loss + 0.05 * (loss - progress_.loss);
    progress_.step = state_.step;
    progress_.steps = options_.steps;
    progress_.seconds = state_.seconds;
    progress_.tokens_per_second = static_cast<double>(tokens_here_) / seconds_here_;
    progress_.parameters = parameters_;
    progress_.history = &history_;
  }

  absl::Status Save() {
    if (options_.checkpoint.empty() || !First()) return absl::OkStatus();
    state_.weights = OnCpu(ParametersOf(*forecaster_));
    state_.average = OnCpu(ParametersOf(*averaged_));
    state_.optimizer = OnCpu(optimizer_.State());
    state_.history = history_.ToTensors();
    return SaveCheckpoint(options_.checkpoint, state_);
  }

  const TrainOptions& options_;
  const SeriesSource& source_;
  nn::Forecaster forecaster_, averaged_;
  Optimizer optimizer_;
  const Batch held_out_;
  std::unique_ptr<FolderLock> lock_;  // locks the checkpoint's folder
  Checkpoint state_;
  History history_;
  TrainProgress progress_;
  double seconds_here_ = 0;
  int64_t tokens_here_ = 0, parameters_ = 0;
  std::future<Batch> next_batch_;  // the next step's; last member: ends before the members it reads
};

}  // namespace

absl::StatusOr<TrainResult> Train(const TrainOptions& options, const SeriesSource& source,
                                  const std::function<bool(const TrainProgress&)>& on_step) {
  absl::Status status = CheckOptions(options);
  if (!status.ok()) return status;
  try {
    Run run(options, source);
    status = run.Begin();
    if (status.ok()) status = run.Resume();
    if (status.ok()) run.Share();
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
