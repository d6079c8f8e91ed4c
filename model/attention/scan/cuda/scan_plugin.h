#ifndef AAREN_MODEL_ATTENTION_SCAN_CUDA_SCAN_PLUGIN_H_
#define AAREN_MODEL_ATTENTION_SCAN_CUDA_SCAN_PLUGIN_H_

// The interface of the shared library with the kernels for GPUs: one exported function that returns a table. The
// program that loads the library (plugin_library.h) links nothing of CUDA, so a single build serves machines with and
// without a GPU. The library knows nothing of torch or Abseil.
//
// The launching functions only enqueue the kernel and return at once. A function returns null, or the error in words
// that live until the program ends, and never throws. Threading: any thread may call.

#include "model/attention/scan/scan_kernel.h"

namespace aaren::attention {

struct ScanPlugin {
  int version;  // kScanPluginVersion of the library's build; first, and readable in any version of the table

  // Null if this machine has a driver and a GPU for the kernels, else what is missing.
  const char* (*missing)();

  // `device` is the index of a GPU, `stream` a stream of the GPU, a cudaStream_t. All pointers of the call point into
  // the GPU's memory.
  const char* (*forward_float)(const ScanForward<float>& call, int device, void* stream);
  const char* (*forward_double)(const ScanForward<double>& call, int device, void* stream);
  const char* (*backward_float)(const ScanBackward<float>& call, int device, void* stream);
  const char* (*backward_double)(const ScanBackward<double>& call, int device, void* stream);
};

// The version rises with any change of this table, of ScanForward or of ScanBackward.
constexpr int kScanPluginVersion = 1;

// The name and type of the exported function.
constexpr char kScanPluginEntry[] = "AarenScanPlugin";
using ScanPluginEntry = const ScanPlugin* (*)();

}  // namespace aaren::attention

#endif  // AAREN_MODEL_ATTENTION_SCAN_CUDA_SCAN_PLUGIN_H_
