#include "model/engine/cpu/cpu_engine.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "model/engine/classification/classification_task.h"
#include "model/engine/cpu/claim.h"
#include "model/engine/cpu/host_lane.h"
#include "model/engine/cpu/slab.h"
#include "model/engine/events/event_task.h"
#include "model/engine/forecasting/forward.h"
#include "model/engine/forecasting/task/forecasting_task.h"
#include "model/engine/forecasting/weights.h"
#include "model/engine/task.h"
#include "model/math/fma.h"

namespace aaren::engine {
namespace {

constexpr size_t kCacheLine = 64;

// Prefetches a row into the second cache, which has room for the rows of a tile.
void Prefetch(absl::Span<const std::byte> row) {
  for (size_t at = 0; at < row.size(); at += kCacheLine) __builtin_prefetch(row.data() + at, 1, 2);
}

class CpuEngine final : public Engine {
 public:
  CpuEngine(std::unique_ptr<Task> task, std::string tier) : task_(std::move(task)), tier_(std::move(tier)) {}

  size_t result_floats() const override { return task_->result_floats(); }
  std::string tier() const override { return tier_; }
  size_t row_bytes() const override { return task_->row_bytes(); }
  std::unique_ptr<Engine> Extended(const Extension& extension) const override;
  std::unique_ptr<Lane> NewLane(size_t capacity_rows) const override;
  void ResetRow(absl::Span<std::byte> row) const override { task_->ResetRow(row); }
  absl::StatusOr<uint64_t> CheckRow(absl::Span<const std::byte> row) const override { return task_->CheckRow(row); }
  std::vector<double> Remembered(absl::Span<const std::byte> row) const override { return task_->Remembered(row); }
  bool NewestResult(absl::Span<const std::byte> row, float* result) const override {
    return task_->NewestResult(row, result);
  }

  const Task& task() const { return *task_; }

 private:
  const std::unique_ptr<Task> task_;
  const std::string tier_;
};

class CpuLane final : public HostLane {
 public:
  CpuLane(const CpuEngine& engine, size_t capacity_rows)
      : HostLane(engine, capacity_rows), task_(engine.task()), scratch_(task_.NewScratch()) {}

 private:
  absl::Status Step(absl::Span<const Run> runs, StateSlab& rows) override;
  void Release(absl::Span<const Run> runs, StateSlab& rows) const;

  const Task& task_;
  const std::unique_ptr<Task::Scratch> scratch_;
};

std::unique_ptr<Engine> CpuEngine::Extended(const Extension& extension) const {
  std::unique_ptr<Task> task = task_->Extended(extension);
  if (task == nullptr) return nullptr;
  return std::make_unique<CpuEngine>(std::move(task), NameOf(extension));
}

std::unique_ptr<Lane> CpuEngine::NewLane(size_t capacity_rows) const {
  return std::make_unique<CpuLane>(*this, capacity_rows);
}

absl::Status CpuLane::Step(absl::Span<const Run> runs, StateSlab& rows) {
  // All rows are claimed before any row changes, so a batch that is refused leaves every row unchanged.
  for (size_t i = 0; i < runs.size(); ++i) {
    if (absl::Status status = ClaimRow(task_, runs[i], rows.Row(runs[i].slot)); !status.ok()) {
      Release(runs.first(i), rows);
      return absl::InvalidArgumentError(absl::StrCat("run ", i, ": ", status.message()));
    }
  }
  for (size_t i = 0; i < runs.size(); ++i) {
    // The next row is fetched while the CPU works on the present row.
    if (i + 1 < runs.size()) Prefetch(rows.Row(runs[i + 1].slot));
    task_.Take(runs[i], rows.Row(runs[i].slot).data(), *scratch_);
  }
  absl::Status status = task_.Finish(*scratch_);
  Release(runs, rows);
  return status;
}

void CpuLane::Release(absl::Span<const Run> runs, StateSlab& rows) const {
  for (const Run& run : runs) task_.claim(rows.Row(run.slot).data()) = 0;
}

// Makes the task for the package's kind of model. A new kind of model is added here.
absl::StatusOr<std::unique_ptr<Task>> NewTask(const package::ModelPackage& package, Tier tier) {
  if (package.kind != package::kForecaster && tier != Tier::kExact) {
    return absl::FailedPreconditionError(absl::StrCat("a model of ", package.kind, " has the tier exact only"));
  }
  if (package.kind == package::kEvents) return events::NewEventTask(package);
  if (package.kind == package::kClassification) return classification::NewClassificationTask(package);
  if (tier == Tier::kExtended && !FarHorizons::Fits(package.config)) {
    return absl::FailedPreconditionError(
        absl::StrCat("a model of ", package.config.horizon, " steps leaves no far horizon to extend it by"));
  }
  const package::ModelPackage& weights = tier == Tier::kFast ? RoundedWeights(package) : package;
  return NewForecastingTask(weights, NewHostNetwork(weights, tier), RowKind{.extended = tier == Tier::kExtended});
}

}  // namespace

absl::StatusOr<std::unique_ptr<Engine>> NewCpuEngine(const package::ModelPackage& package, Tier tier) {
  // Without FMA, Highway would emulate the fused multiply-add with two roundings and give other bits.
  if (!math::HasFma()) {
    return absl::FailedPreconditionError("this CPU has no fused multiply-add (x86: AVX2 and FMA), so no tier");
  }
  absl::StatusOr<std::unique_ptr<Task>> task = NewTask(package, tier);
  if (!task.ok()) return task.status();
  return std::make_unique<CpuEngine>(*std::move(task), NameOf(tier));
}

}  // namespace aaren::engine
