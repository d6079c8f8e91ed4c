#ifndef AAREN_TESTS_MODEL_ATTENTION_SCAN_SCAN_DEVICE_H_
#define AAREN_TESTS_MODEL_ATTENTION_SCAN_SCAN_DEVICE_H_

// Where a test runs the CUDA kernels of the scan: on a GPU through the plug-in library, or emulated on the CPU.

#include <cstddef>
#include <memory>
#include <string>

#include "model/attention/scan/scan_kernel.h"

namespace aaren::attention {

class ScanDevice {
 public:
  virtual ~ScanDevice() = default;

  // Memory of the device, and copies in and out of it.
  virtual void* Allocate(size_t bytes) = 0;
  virtual void Free(void* memory) = 0;
  virtual void CopyIn(void* device, const void* host, size_t bytes) = 0;
  virtual void CopyOut(void* host, const void* device, size_t bytes) = 0;

  // Returns what went wrong, or nothing. The kernel is done when CopyOut returns.
  virtual std::string Run(const ScanForward<float>& call) = 0;
  virtual std::string Run(const ScanForward<double>& call) = 0;
  virtual std::string Run(const ScanBackward<float>& call) = 0;
  virtual std::string Run(const ScanBackward<double>& call) = 0;
};

std::unique_ptr<ScanDevice> EmulatedDevice();

// Null if there is none, and then what is missing.
std::unique_ptr<ScanDevice> Gpu(std::string& missing);

}  // namespace aaren::attention

#endif  // AAREN_TESTS_MODEL_ATTENTION_SCAN_SCAN_DEVICE_H_
