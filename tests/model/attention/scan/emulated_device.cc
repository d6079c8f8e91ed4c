#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "tests/model/attention/scan/scan_device.h"
#include "tests/model/attention/scan/warp_emulator.h"

// Included after the emulator, which defines the words of device code.
#include "model/attention/scan/cuda/scan_cuda_backward.cuh"
#include "model/attention/scan/cuda/scan_cuda_forward.cuh"

namespace aaren::attention {
namespace {

// Fewer blocks than the work needs, so that every call also tests how blocks take several sequences.
constexpr int64_t kMostBlocks = 3;

class Emulated : public ScanDevice {
 public:
  void* Allocate(size_t bytes) override { return std::malloc(bytes); }
  void Free(void* memory) override { std::free(memory); }
  void CopyIn(void* device, const void* host, size_t bytes) override { std::memcpy(device, host, bytes); }
  void CopyOut(void* host, const void* device, size_t bytes) override { std::memcpy(host, device, bytes); }

  std::string Run(const ScanForward<float>& call) override { return Forward(call); }
  std::string Run(const ScanForward<double>& call) override { return Forward(call); }
  std::string Run(const ScanBackward<float>& call) override { return Backward(call); }
  std::string Run(const ScanBackward<double>& call) override { return Backward(call); }

 private:
  static std::string Emulate(const Grid& grid, const std::function<void()>& kernel) {
    EmulateGrid(std::min(grid.blocks, kMostBlocks), grid.threads, kernel);
    return "";
  }

  template <typename Float>
  static std::string Forward(const ScanForward<Float>& call) {
    return Emulate(ForwardGrid(call.shape),
                   [&] { call.elapsed == nullptr ? ScanForwardKernel<false>(call) : ScanForwardKernel<true>(call); });
  }

  template <typename Float>
  static std::string Backward(const ScanBackward<Float>& call) {
    return Emulate(BackwardGrid(call.shape), [&] { ScanBackwardKernel(call); });
  }
};

}  // namespace

std::unique_ptr<ScanDevice> EmulatedDevice() { return std::make_unique<Emulated>(); }

}  // namespace aaren::attention
