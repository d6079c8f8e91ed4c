#include "model/engine/cuda/cuda_engine.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "model/engine/cpu/cpu_engine.h"
#include "model/engine/cuda/device/device_lane.h"
#include "model/engine/cuda/device/device_library.h"
#include "model/engine/cuda/device/device_network.h"
#include "model/engine/cuda/trial.h"
#include "model/engine/forecasting/task/forecasting_task.h"
#include "model/engine/task.h"
#include "model/math/fma.h"

namespace aaren::engine {
namespace {

class DeviceEngine final : public Engine {
 public:
  DeviceEngine(std::unique_ptr<Task> task, const DeviceTable& table) : task_(std::move(task)), table_(table) {}

  std::string tier() const override { return "exact"; }
  size_t row_bytes() const override { return task_->row_bytes(); }
  size_t result_floats() const override { return task_->result_floats(); }
  std::unique_ptr<Lane> NewLane(size_t capacity_rows) const override {
    return std::make_unique<DeviceLane>(*task_, table_, capacity_rows);
  }
  void ResetRow(absl::Span<std::byte> row) const override { task_->ResetRow(row); }
  absl::StatusOr<uint64_t> CheckRow(absl::Span<const std::byte> row) const override { return task_->CheckRow(row); }
  std::vector<double> Remembered(absl::Span<const std::byte> row) const override { return task_->Remembered(row); }

 private:
  const std::unique_ptr<Task> task_;
  const DeviceTable& table_;
};

// A trial has three calls, so each form of the kernel comes up.
constexpr int kTrials = (kStreamFormCount + 2) / 3;

// Enough tokens to make every block busy with the largest tiles, but no more than one call has.
size_t TrialTokens(const DeviceTable& gpu) {
  constexpr size_t kLargestTile = 32, kMost = 2048;
  DeviceFacts facts = {};
  if (gpu.facts(&facts) != nullptr) return kMost;
  return std::min(kMost, (kLargestTile + 1) * static_cast<size_t>(facts.processors));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Engine>> NewDeviceEngine(const package::ModelPackage& package, const DeviceTable& table,
                                                        KernelUse use) {
  if (!math::HasFma()) {
    return absl::FailedPreconditionError("this CPU has no fused multiply-add (x86: AVX2 and FMA), so no exact tier");
  }
  absl::StatusOr<std::unique_ptr<Network>> network = NewDeviceNetwork(package, table, use);
  if (!network.ok()) return network.status();
  return std::make_unique<DeviceEngine>(NewForecastingTask(package, *std::move(network)), table);
}

absl::StatusOr<std::unique_ptr<Engine>> NewCudaEngine(const package::ModelPackage& package) {
  const absl::StatusOr<const DeviceTable*> gpu = UsableGpu();
  if (!gpu.ok()) return gpu.status();
  const absl::StatusOr<std::unique_ptr<Engine>> cpu = NewCpuEngine(package);
  if (!cpu.ok()) return cpu.status();
  const absl::StatusOr<std::unique_ptr<Engine>> tried = NewDeviceEngine(package, **gpu, KernelUse::kInTurn);
  if (!tried.ok()) return tried.status();
  for (int i = 0; i < kTrials; ++i) {
    if (absl::Status status = TryOut(**tried, **cpu, TrialTokens(**gpu)); !status.ok()) return status;
  }
  // Another engine serves: the engine of the trial takes the kernel's forms in turn, and not the best.
  return NewDeviceEngine(package, **gpu, KernelUse::kBest);
}

absl::StatusOr<std::string> DescribeGpu() {
  const absl::StatusOr<const DeviceTable*> gpu = UsableGpu();
  if (!gpu.ok()) return gpu.status();
  DeviceFacts facts = {};
  if (const char* error = (*gpu)->facts(&facts)) return absl::FailedPreconditionError(error);
  return absl::StrCat(facts.name, ", ", facts.memory_bytes >> 30, " GiB");
}

}  // namespace aaren::engine
