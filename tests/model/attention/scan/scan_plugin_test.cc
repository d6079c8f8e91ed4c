#include "model/attention/scan/cuda/scan_plugin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "model/attention/scan/cuda/plugin_library.h"
#include "model/attention/scan/cuda/scan_cuda.h"

namespace aaren::attention {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// The reason why a plug-in did not load. The test fails if the error is not FailedPrecondition.
std::string Refusal(const absl::StatusOr<const ScanPlugin*>& plugin) {
  EXPECT_EQ(plugin.status().code(), absl::StatusCode::kFailedPrecondition) << plugin.status();
  return std::string(plugin.status().message());
}

TEST(ScanPluginTest, LoadsFromTheBuildWithoutAGpu) {
#ifndef AAREN_BUILT_CUDA_PLUGIN
  GTEST_SKIP() << "this build has no CUDA kernels: it was configured without AAREN_WITH_CUDA";
#else
  unsetenv("AAREN_CUDA_PLUGIN");  // the variable was set for other programs
  const auto plugin = OpenScanPlugin(AAREN_BUILT_CUDA_PLUGIN);
  ASSERT_TRUE(plugin.ok()) << plugin.status();
  EXPECT_EQ((*plugin)->version, kScanPluginVersion);
  const auto found = FindScanPlugin();
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(*found, *plugin) << "the program found another one by itself";
#endif
}

TEST(ScanPluginTest, AMissingFileIsNamed) {
  EXPECT_THAT(Refusal(OpenScanPlugin("/nowhere/libaaren_cuda.so")), HasSubstr("/nowhere/libaaren_cuda.so"));
}

TEST(ScanPluginTest, AFileThatIsNoLibraryIsNamed) {
  const std::string path = testing::TempDir() + "/no_library.so";
  std::ofstream(path) << "text";
  EXPECT_THAT(Refusal(OpenScanPlugin(path)), HasSubstr(path));
}

TEST(ScanPluginTest, AForeignLibraryIsNamed) {
  EXPECT_THAT(Refusal(OpenScanPlugin("libm.so.6")), AllOf(HasSubstr("libm.so.6"), HasSubstr(kScanPluginEntry)));
}

TEST(ScanPluginTest, AnotherVersionIsRefused) {
  EXPECT_THAT(Refusal(OpenScanPlugin(AAREN_OTHER_VERSION_PLUGIN)),
              AllOf(HasSubstr(AAREN_OTHER_VERSION_PLUGIN), HasSubstr("version is -1")));
}

TEST(ScanPluginTest, TheEnvironmentNamesTheOnlyPlaceToLook) {
  setenv("AAREN_CUDA_PLUGIN", "/nowhere/else.so", 1);
  const std::string refusal = Refusal(FindScanPlugin());
  unsetenv("AAREN_CUDA_PLUGIN");
  EXPECT_THAT(refusal, AllOf(HasSubstr("/nowhere/else.so"), HasSubstr("AAREN_CUDA_PLUGIN")));
}

TEST(ScanPluginTest, WithoutAGpuAScanSaysWhatIsMissing) {
  if (const auto plugin = UsableScanPlugin(); plugin.ok()) GTEST_SKIP() << "there is a GPU";
  const absl::Status status = ScanOnCuda(ScanForward<float>{}, 0, nullptr);
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("GPU"));
}

}  // namespace
}  // namespace aaren::attention
