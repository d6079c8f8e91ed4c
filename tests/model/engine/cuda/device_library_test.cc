#include "model/engine/cuda/device/device_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "model/engine/cuda/cuda_engine.h"
#include "tests/model/engine/random_package.h"

namespace aaren::engine {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// The message of a library's refusal. The test fails on any code but FailedPrecondition.
std::string Refusal(const absl::StatusOr<const DeviceTable*>& table) {
  EXPECT_EQ(table.status().code(), absl::StatusCode::kFailedPrecondition) << table.status();
  return std::string(table.status().message());
}

TEST(DeviceLibraryTest, LoadsFromTheBuildWithoutAGpu) {
#ifndef AAREN_BUILT_DEVICE_LIBRARY
  GTEST_SKIP() << "this build has no CUDA kernels: it was configured without AAREN_WITH_CUDA";
#else
  const auto table = OpenDeviceLibrary(AAREN_BUILT_DEVICE_LIBRARY);
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ((*table)->version, kDeviceVersion);
#endif
}

TEST(DeviceLibraryTest, AMissingFileIsNamed) {
  EXPECT_THAT(Refusal(OpenDeviceLibrary("/nowhere/gpu.so")), HasSubstr("/nowhere/gpu.so"));
}

TEST(DeviceLibraryTest, AFileThatIsNoLibraryIsNamed) {
  const std::string path = testing::TempDir() + "/no_device_library.so";
  std::ofstream(path) << "text";
  EXPECT_THAT(Refusal(OpenDeviceLibrary(path)), HasSubstr(path));
}

TEST(DeviceLibraryTest, AForeignLibraryIsNamed) {
  EXPECT_THAT(Refusal(OpenDeviceLibrary("libm.so.6")), AllOf(HasSubstr("libm.so.6"), HasSubstr(kDeviceEntry)));
}

TEST(DeviceLibraryTest, AnotherVersionIsRefused) {
  EXPECT_THAT(Refusal(OpenDeviceLibrary(AAREN_OTHER_VERSION_DEVICE)),
              AllOf(HasSubstr(AAREN_OTHER_VERSION_DEVICE), HasSubstr("version is -1")));
}

TEST(DeviceLibraryTest, WithoutAGpuAnEngineSaysWhatIsMissing) {
  setenv("AAREN_ENGINE_PLUGIN", "/nowhere/else.so", 1);
  const absl::Status status = NewCudaEngine(RandomPackage(TinyConfig(), 1)).status();
  unsetenv("AAREN_ENGINE_PLUGIN");
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
  EXPECT_THAT(std::string(status.message()), AllOf(HasSubstr("/nowhere/else.so"), HasSubstr("AAREN_ENGINE_PLUGIN")));
}

}  // namespace
}  // namespace aaren::engine
