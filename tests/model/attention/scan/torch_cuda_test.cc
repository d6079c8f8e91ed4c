#include "model/attention/scan/cuda/torch_cuda.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

namespace aaren::attention {
namespace {

TEST(ScanOnTorchCudaTest, LoadsOrSaysWhatIsMissingAndLeavesTheCpuUsable) {
  const absl::Status status = LoadTorchCuda();
  if (!status.ok()) {
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
    EXPECT_THAT(std::string(status.message()),
                testing::AnyOf(testing::HasSubstr("libtorch_cuda.so"), testing::HasSubstr("GPU")));
  }
  EXPECT_EQ(torch::cuda::is_available(), status.ok());
  EXPECT_EQ(torch::ones({3}).sum().item<float>(), 3);
}

TEST(ScanOnTorchCudaTest, TheDefaultStreamIsCurrentAtFirst) {
  if (const absl::Status status = LoadTorchCuda(); !status.ok()) GTEST_SKIP() << status.message();
  EXPECT_EQ(CurrentCudaStream(torch::Device(torch::kCUDA, 0)), nullptr);
}

}  // namespace
}  // namespace aaren::attention
