// aaren-bench-device MODEL: bits and times of the engine's kernels on this machine's GPU (README.md).

#include <atomic>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "model/engine/cpu/cpu_engine.h"
#include "model/engine/cuda/cuda_engine.h"
#include "model/engine/cuda/device/device_library.h"
#include "model/engine/cuda/trial.h"
#include "model/package/package.h"
#include "tests/bench/device/device_times.h"
#include "tests/bench/engine/step_load.h"

namespace aaren::bench {
namespace {

using engine::Engine;
using engine::kStreamFormCount;

constexpr unsigned kAllForms = (1u << kStreamFormCount) - 1;
constexpr int kQueues = 16, kThreads = 16;

class DeviceBench {
 public:
  DeviceBench(const package::ModelPackage& package, const engine::DeviceTable& device)
      : package_(package), device_(device), cpu_(engine::NewCpuEngine(package).value()) {}

  absl::Status Run() {
    if (absl::Status status = CheckBits(); !status.ok()) return status;
    std::printf("%-9s %6s %9s %10s %9s %12s\n", "kernel", "tokens", "call us", "kernel us", "16 queues", "tokens/s");
    for (size_t batch : {1, 64, 1024, 2048}) {
      if (absl::Status status = TimeBatch(0, batch, "plain"); !status.ok()) return status;
    }
    for (int form = 0; form < kStreamFormCount; ++form) {
      if (absl::Status status = TimeForm(form); !status.ok()) return status;
    }
    for (size_t batch : {1, 8, 64, 128, 256, 512, 1024, 2048}) {
      if (absl::Status status = TimeBatch(kAllForms, batch, "chosen"); !status.ok()) return status;
    }
    TimeThreads("cpu", *cpu_);
    for (auto [name, forms] : {std::pair("plain", 0u), std::pair("streamed", kAllForms)}) {
      const auto engine = MadeWith(forms, engine::KernelUse::kBest);
      if (!engine.ok()) return engine.status();
      TimeThreads(name, **engine);
    }
    return absl::OkStatus();
  }

 private:
  absl::StatusOr<std::unique_ptr<Engine>> MadeWith(unsigned forms, engine::KernelUse use) {
    return engine::NewDeviceEngine(package_, DeviceTimes::TableOf(device_, forms), use);
  }

  absl::Status CheckBits() {
    for (int form = -1; form < kStreamFormCount; ++form) {
      const auto engine = MadeWith(form < 0 ? 0 : 1u << form, engine::KernelUse::kBest);
      if (!engine.ok()) return engine.status();
      absl::Status status;
      for (size_t tokens : {16, 300, 1500, 6000}) status.Update(engine::TryOut(**engine, *cpu_, tokens));
      std::printf("bits of %s: %s\n", DeviceTimes::Kernel().c_str(),
                  status.ok() ? "the CPU's" : status.ToString().c_str());
      if (!status.ok()) return status;
    }
    std::fflush(stdout);
    return absl::OkStatus();
  }

  absl::Status TimeForm(int form) {
    const engine::StreamForm& is = engine::kStreamForms[form];
    std::vector<size_t> batches = {static_cast<size_t>(is.tokens)};
    if (is.blocks == 1) batches.push_back(2048);
    for (size_t batch : batches) {
      if (absl::Status status = TimeBatch(1u << form, batch, "form", batch == batches.back()); !status.ok())
        return status;
    }
    return absl::OkStatus();
  }

  absl::Status TimeBatch(unsigned forms, size_t batch, const char* what, bool with_cycles = false) {
    const auto engine = MadeWith(forms, engine::KernelUse::kBest);
    if (!engine.ok()) return engine.status();
    StepLoad load(**engine, package_.config.fold_every, batch);
    load.Forecast(batch, 3);
    const int calls = batch > 256 ? 10 : 40;
    const auto begin = std::chrono::steady_clock::now();
    load.Forecast(batch, calls);
    const double call =
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count() / calls;
    const absl::StatusOr<double> chained = DeviceTimes::Chained(40), together = DeviceTimes::Together(kQueues, 10);
    if (!chained.ok()) return chained.status();
    if (!together.ok()) return together.status();
    std::printf("%-9s %6zu %9.1f %10.1f %9.1f %12.0f %s\n", DeviceTimes::Kernel().c_str(), batch, call, *chained,
                *together, static_cast<double>(DeviceTimes::tokens()) / *together * 1e6, what);
    if (with_cycles) {
      const absl::StatusOr<std::string> cycles = DeviceTimes::Cycles();
      if (!cycles.ok()) return cycles.status();
      std::printf("  cycles: %s\n", cycles->c_str());
    }
    std::fflush(stdout);
    return absl::OkStatus();
  }

  void TimeThreads(const char* name, const Engine& engine) {
    for (size_t batch : {64, 256}) {
      std::atomic<uint64_t> tokens{0};
      std::atomic<int> ready{0};
      std::atomic<bool> go{false}, stop{false};
      std::vector<std::thread> threads;
      for (int i = 0; i < kThreads; ++i) {
        threads.emplace_back([&] {
          StepLoad load(engine, package_.config.fold_every, batch);
          ++ready;
          while (!go) std::this_thread::yield();
          for (; !stop; tokens += batch) load.Forecast(batch, 1);
        });
      }
      while (ready < kThreads) std::this_thread::yield();
      const auto begin = std::chrono::steady_clock::now();
      go = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
      stop = true;
      for (std::thread& thread : threads) thread.join();
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      std::printf("engine %s, %d threads, %zu tokens a call: %.0f tokens/s\n", name, kThreads, batch,
                  static_cast<double>(tokens) / seconds);
      std::fflush(stdout);
    }
  }

  const package::ModelPackage& package_;
  const engine::DeviceTable& device_;
  const std::unique_ptr<Engine> cpu_;
};

absl::Status Run(const char* model) {
  const absl::StatusOr<package::ModelPackage> package = package::LoadPackage(model);
  if (!package.ok()) return package.status();
  const absl::StatusOr<const engine::DeviceTable*> gpu = engine::UsableGpu();
  if (!gpu.ok()) return gpu.status();
  std::printf("%s\n", engine::DescribeGpu().value().c_str());
  return DeviceBench(*package, **gpu).Run();
}

}  // namespace
}  // namespace aaren::bench

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: aaren-bench-device MODEL\n");
    return 2;
  }
  const absl::Status status = aaren::bench::Run(argv[1]);
  if (status.ok()) return 0;
  std::fprintf(stderr, "aaren-bench-device: %s\n", status.ToString().c_str());
  return 1;
}
