#ifndef AAREN_MODEL_ATTENTION_SCAN_CUDA_SCAN_PLUGIN_H_
#define AAREN_MODEL_ATTENTION_SCAN_CUDA_SCAN_PLUGIN_H_

// What the shared library of a GPU's kernels offers: one exported function that returns a table. The program that loads
// it (plugin_library.h) links nothing of CUDA, so one build serves machines with and without a GPU, and the library
// knows nothing of torch or Abseil.
//
// The launching functions only enqueue: they return at once, before the kernel has run. They return null, or what went
// wrong in words that live for ever; they never throw. Threading: all may be called from any thread.

#include "model/attention/scan/scan_kernel.h"

namespace aaren::attention {

struct ScanPlugin {
  int version;  // kScanPluginVersion of the library's build; first, so that it can be read whatever the rest is

  // Null if this machine has a driver and a GPU that the kernels can run on, else what is missing.
  const char* (*missing)();

  // On a GPU, by its index, and one of its streams, a cudaStream_t. All pointers of the call are into that GPU's
  // memory.
  const char* (*forward_float)(const ScanForward<float>& call, int device, void* stream);
  const char* (*forward_double)(const ScanForward<double>& call, int device, void* stream);
  const char* (*backward_float)(const ScanBackward<float>& call, int device, void* stream);
  const char* (*backward_double)(const ScanBackward<double>& call, int device, void* stream);
};

// Goes up with any change of this table, of ScanForward or of ScanBackward.
constexpr int kScanPluginVersion = 1;

// The exported function's name and type.
constexpr char kScanPluginEntry[] = "AarenScanPlugin";
using ScanPluginEntry = const ScanPlugin* (*)();

}  // namespace aaren::attention

#endif  // AAREN_MODEL_ATTENTION_SCAN_CUDA_SCAN_PLUGIN_H_
