// The scan's plug-in library for NVIDIA GPUs: launches the kernels of scan_cuda_forward.cuh and scan_cuda_backward.cuh,
// and exports the table of scan_plugin.h.

#include <cuda_runtime.h>

#include <algorithm>

#include "model/attention/scan/cuda/scan_cuda_backward.cuh"
#include "model/attention/scan/cuda/scan_cuda_forward.cuh"
#include "model/attention/scan/cuda/scan_plugin.h"

namespace aaren::attention {
namespace {

constexpr int64_t kMostBlocks = 0x7fffffff;  // CUDA's limit for a grid

// Makes a device the calling thread's current device, and restores the former current device at the end.
class CurrentDevice {
 public:
  explicit CurrentDevice(int device) : device_(device) {
    error_ = cudaGetDevice(&before_);
    if (error_ == cudaSuccess && before_ != device_) error_ = cudaSetDevice(device_);
  }
  ~CurrentDevice() {
    if (error_ == cudaSuccess && before_ != device_) cudaSetDevice(before_);
  }
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;

  cudaError_t error() const { return error_; }

 private:
  const int device_;
  int before_ = 0;
  cudaError_t error_ = cudaSuccess;
};

// The error in words, or null if all is well. Clears the error that the runtime remembers, because the caller learns of
// the error here.
const char* InWords(cudaError_t error) {
  if (error == cudaSuccess) return nullptr;
  cudaGetLastError();
  return cudaGetErrorString(error);
}

template <typename Call>
const char* Launch(void (*kernel)(Call), const Call& call, const Grid& grid, int device, void* stream) {
  const CurrentDevice current(device);
  if (current.error() != cudaSuccess) return InWords(current.error());
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(std::min(grid.blocks, kMostBlocks)));
  config.blockDim = dim3(grid.threads);
  config.stream = static_cast<cudaStream_t>(stream);
  return InWords(cudaLaunchKernelEx(&config, kernel, call));
}

template <typename Float>
const char* Forward(const ScanForward<Float>& call, int device, void* stream) {
  const auto kernel = call.elapsed == nullptr ? ScanForwardKernel<false, Float> : ScanForwardKernel<true, Float>;
  return Launch(kernel, call, ForwardGrid(call.shape), device, stream);
}

template <typename Float>
const char* Backward(const ScanBackward<Float>& call, int device, void* stream) {
  return Launch(ScanBackwardKernel<Float>, call, BackwardGrid(call.shape), device, stream);
}

// The reason why this machine cannot run the kernels, or null. The last check finds a GPU older than the kernels, which
// has no code to load.
const char* Missing() {
  int driver = 0, devices = 0;
  if (const char* error = InWords(cudaDriverGetVersion(&driver))) return error;
  if (driver == 0) return "no driver for NVIDIA GPUs is installed";
  if (const char* error = InWords(cudaGetDeviceCount(&devices))) return error;
  if (devices == 0) return "this machine has no NVIDIA GPU";
  cudaFuncAttributes attributes;
  return InWords(cudaFuncGetAttributes(&attributes, ScanForwardKernel<false, float>));
}

}  // namespace
}  // namespace aaren::attention

extern "C" __attribute__((visibility("default"))) const aaren::attention::ScanPlugin* AarenScanPlugin() {
  static const aaren::attention::ScanPlugin plugin = {
      aaren::attention::kScanPluginVersion, aaren::attention::Missing,         aaren::attention::Forward<float>,
      aaren::attention::Forward<double>,    aaren::attention::Backward<float>, aaren::attention::Backward<double>};
  return &plugin;
}
