#ifndef AAREN_TESTS_MODEL_ATTENTION_SCAN_SCAN_DEVICE_H_
#define AAREN_TESTS_MODEL_ATTENTION_SCAN_SCAN_DEVICE_H_

// The device for a test of the scan's CUDA kernels: a GPU through the plug-in library, or an emulation on the CPU.

#include <cstddef>
#include <memory>
#include <string>

#include "model/attention/scan/scan_kernel.h"

namespace aaren::attention {

class ScanDevice {
 public:
  virtual ~ScanDevice() = default;

  // Memory of the device, and copies to and from that memory.
  virtual void* Allocate(size_t bytes) = 0;
  virtual void Free(void* memory) = 0;
  virtual void CopyIn(void* device, const void* host, size_t bytes) = 0;
  virtual void CopyOut(void* host, const void* device, size_t bytes) = 0;

  // Returns the error, or an empty text. The kernel is done when CopyOut returns.
  virtual std::string Run(const ScanForward<float>& call) = 0;
  virtual std::string Run(const ScanForward<double>& call) = 0;
  virtual std::string Run(const ScanBackward<float>& call) = 0;
  virtual std::string Run(const ScanBackward<double>& call) = 0;
};

std::unique_ptr<ScanDevice> EmulatedDevice();

// The GPU, or null with the reason in `missing`.
std::unique_ptr<ScanDevice> Gpu(std::string& missing);

}  // namespace aaren::attention

#endif  // AAREN_TESTS_MODEL_ATTENTION_SCAN_SCAN_DEVICE_H_
