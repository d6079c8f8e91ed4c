#ifndef AAREN_MODEL_ATTENTION_SCAN_CUDA_PLUGIN_LIBRARY_H_
#define AAREN_MODEL_ATTENTION_SCAN_CUDA_PLUGIN_LIBRARY_H_

// Finds and loads the shared library that holds the scan's kernels for GPUs (scan_plugin.h), libaaren_cuda.so. It is
// looked for in
//   the file that the environment variable AAREN_CUDA_PLUGIN names, and nowhere else if it is set;
//   the folder of the running program, then lib/ beside that folder, as builds and installations lay it out.
// A program without it is complete but for the GPU.
//
// Every error is FailedPrecondition and says what is missing and where it was looked for. Threading: all may be called
// from any thread. A library stays loaded until the program ends.

#include <string>

#include "absl/status/statusor.h"
#include "model/attention/scan/cuda/scan_plugin.h"

namespace aaren::attention {

// Loads one file and checks that it is a plug-in of this version. It need not find a GPU.
absl::StatusOr<const ScanPlugin*> OpenScanPlugin(const std::string& path);

// Opens the plug-in of this program.
absl::StatusOr<const ScanPlugin*> FindScanPlugin();

// Finds it together with a GPU that it can run on, at the first call; later ones give the same.
absl::StatusOr<const ScanPlugin*> UsableScanPlugin();

}  // namespace aaren::attention

#endif  // AAREN_MODEL_ATTENTION_SCAN_CUDA_PLUGIN_LIBRARY_H_
