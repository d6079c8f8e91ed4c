#include <dlfcn.h>

#include <cstdint>
#include <stdexcept>

#include "absl/status/status.h"
#include "model/attention/scan/cuda/plugin_library.h"
#include "model/attention/scan/cuda/scan_cuda.h"
#include "tests/model/attention/scan/scan_device.h"

namespace aaren::attention {
namespace {

constexpr int kDevice = 0;

// Memory from CUDA's driver, which every machine with a usable GPU has. So the test needs neither toolkit nor torch.
class GpuDevice : public ScanDevice {
 public:
  GpuDevice() {
    void* context = nullptr;
    Call<unsigned>("cuInit", 0);
    Call<void**, int>("cuDevicePrimaryCtxRetain", &context, kDevice);
    Call<void*>("cuCtxSetCurrent", context);
  }

  void* Allocate(size_t bytes) override {
    uint64_t memory = 0;
    Call<uint64_t*, size_t>("cuMemAlloc_v2", &memory, bytes);
    return reinterpret_cast<void*>(memory);
  }
  void Free(void* memory) override { Call<uint64_t>("cuMemFree_v2", reinterpret_cast<uint64_t>(memory)); }
  void CopyIn(void* device, const void* host, size_t bytes) override {
    Call<uint64_t, const void*, size_t>("cuMemcpyHtoD_v2", reinterpret_cast<uint64_t>(device), host, bytes);
  }
  void CopyOut(void* host, const void* device, size_t bytes) override {
    Call<void*, uint64_t, size_t>("cuMemcpyDtoH_v2", host, reinterpret_cast<uint64_t>(device), bytes);
  }

  std::string Run(const ScanForward<float>& call) override { return Scan(call); }
  std::string Run(const ScanForward<double>& call) override { return Scan(call); }
  std::string Run(const ScanBackward<float>& call) override { return Scan(call); }
  std::string Run(const ScanBackward<double>& call) override { return Scan(call); }

 private:
  template <typename... Arguments>
  void Call(const char* name, Arguments... arguments) const {
    void* address = driver_ == nullptr ? nullptr : dlsym(driver_, name);
    const int error = address == nullptr ? -1 : reinterpret_cast<int (*)(Arguments...)>(address)(arguments...);
    if (error != 0) throw std::runtime_error(std::string(name) + ": CUDA error " + std::to_string(error));
  }

  template <typename Call>
  static std::string Scan(const Call& call) {
    const absl::Status status = ScanOnCuda(call, kDevice, nullptr);
    return status.ok() ? "" : std::string(status.message());
  }

  void* driver_ = dlopen("libcuda.so.1", RTLD_NOW);
};

}  // namespace

std::unique_ptr<ScanDevice> Gpu(std::string& missing) {
  if (const auto plugin = UsableScanPlugin(); !plugin.ok()) {
    missing = std::string(plugin.status().message());
    return nullptr;
  }
  return std::make_unique<GpuDevice>();
}

}  // namespace aaren::attention
