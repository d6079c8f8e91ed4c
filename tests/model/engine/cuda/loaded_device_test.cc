// The engine on a device from a library, loaded like a server's. A program looks for a library only once, hence the
// single test.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "model/engine/cuda/cuda_engine.h"
#include "tests/model/engine/random_package.h"
#include "tests/model/engine/stepper.h"

namespace aaren::engine {
namespace {

using ::testing::HasSubstr;

TEST(LoadedDeviceTest, ALibrarysDeviceGivesTheCpusBits) {
  setenv("AAREN_ENGINE_PLUGIN", AAREN_EMULATED_LIBRARY, 1);
  EXPECT_THAT(DescribeGpu().value(), HasSubstr("an emulated device"));
  const package::ModelPackage package = RandomPackage(TinyConfig(), 3);
  Stepper cpu(package), device(std::shared_ptr<const Engine>(NewCudaEngine(package).value()));
  const Slot on_cpu = cpu.Open(), on_device = device.Open();
  const std::vector<float> series = Series(4, 120);
  EXPECT_EQ(device.Feed(on_device, series), cpu.Feed(on_cpu, series));
  EXPECT_EQ(device.RowBytes(on_device), cpu.RowBytes(on_cpu));
}

}  // namespace
}  // namespace aaren::engine
