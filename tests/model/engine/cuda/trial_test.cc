#include "model/engine/cuda/trial.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "model/engine/cpu/cpu_engine.h"
#include "model/engine/cuda/cuda_engine.h"
#include "tests/model/engine/cuda/emulated_device.h"
#include "tests/model/engine/random_package.h"

namespace aaren::engine {
namespace {

constexpr size_t kTokens = 100;

// The verdict of a trial on a CPU's engine with one changed number in a tensor.
std::string Verdict(const std::string& tensor) {
  const package::ModelPackage right = RandomPackage(TinyConfig(), 3);
  package::ModelPackage other = right;
  other.tensors.at(tensor).data[0] *= 1.0000002f;
  return std::string(TryOut(**NewCpuEngine(other), **NewCpuEngine(right), kTokens).message());
}

TEST(TrialTest, DeviceThatComputesTheSameBitsIsTrusted) {
  const package::ModelPackage package = RandomPackage(TinyConfig(), 3);
  EXPECT_TRUE(TryOut(**NewDeviceEngine(package, EmulatedDevice()), **NewCpuEngine(package), kTokens).ok());
}

TEST(TrialTest, LastBitOfAWeightOfTheHeadIsSeenInTheForecasts) {
  EXPECT_THAT(Verdict("head.weight"), testing::HasSubstr("the forecasts of series"));
}

TEST(TrialTest, LastBitOfAWeightOfTheAttentionIsSeen) {
  EXPECT_THAT(Verdict("blocks.0.attention.value.weight"), testing::HasSubstr("of a trial are not the right ones"));
}

TEST(TrialTest, EngineOfAnotherShapeIsRefused) {
  package::ForecasterConfig wider = TinyConfig();
  wider.value_width *= 2;
  wider.heads *= 2;
  const absl::Status status =
      TryOut(**NewCpuEngine(RandomPackage(wider, 3)), **NewCpuEngine(RandomPackage(TinyConfig(), 3)), kTokens);
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
}

}  // namespace
}  // namespace aaren::engine
