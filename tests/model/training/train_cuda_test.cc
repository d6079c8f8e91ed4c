// Training on a GPU against the same run on the CPU. The test is a program of its own, because the GPU's library must
// be loaded before any other use of torch.

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "model/attention/scan/cuda/plugin_library.h"
#include "model/attention/scan/cuda/torch_cuda.h"
#include "model/training/trainer.h"
#include "tests/model/training/small_run.h"

namespace aaren::training {
namespace {

absl::StatusOr<TrainResult> TrainOn(torch::Device device) {
  TrainOptions options = SmallRun();
  options.device = device;
  options.steps = 60;
  return Train(options, *SyntheticSource(options.seed), [](const TrainProgress&) { return true; });
}

TEST(TrainCudaTest, GpuEndsWithTheLossOfTheCpu) {
  if (const absl::Status status = attention::LoadTorchCuda(); !status.ok()) GTEST_SKIP() << status.message();
  if (const absl::Status status = attention::UsableScanPlugin().status(); !status.ok())
    GTEST_SKIP() << status.message();
  const auto on_cpu = TrainOn(torch::kCPU), on_gpu = TrainOn(torch::kCUDA);
  ASSERT_TRUE(on_cpu.ok() && on_gpu.ok()) << on_cpu.status() << on_gpu.status();
  EXPECT_NEAR(on_gpu->held_out_loss, on_cpu->held_out_loss, 0.02 * on_cpu->held_out_loss);
  EXPECT_TRUE(on_gpu->forecaster->head->weight.is_cpu());
}

}  // namespace
}  // namespace aaren::training
