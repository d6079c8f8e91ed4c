#ifndef AAREN_MODEL_ATTENTION_SCAN_CUDA_PLUGIN_LIBRARY_H_
#define AAREN_MODEL_ATTENTION_SCAN_CUDA_PLUGIN_LIBRARY_H_

// Finds and loads libaaren_cuda.so, the shared library of the scan's kernels for GPUs (scan_plugin.h). The library is
// searched in
//   the file named by the environment variable AAREN_CUDA_PLUGIN, and nowhere else if the variable is set;
//   the folder of the running program, then lib/ beside that folder, as builds and installations lay the library out.
// A program without the library is complete except for the GPU.
//
// Every error is FailedPrecondition and says what is missing and where the search looked. Threading: any thread may
// call. A library stays loaded until the program ends.

#include <string>

#include "absl/status/statusor.h"
#include "model/attention/scan/cuda/scan_plugin.h"

namespace aaren::attention {

// Loads one file and checks that the file is a plug-in of this version. No GPU is needed.
absl::StatusOr<const ScanPlugin*> OpenScanPlugin(const std::string& path);

// Opens the plug-in of this program.
absl::StatusOr<const ScanPlugin*> FindScanPlugin();

// Finds the plug-in and a GPU that the kernels can run on. Later calls return the result of the first.
absl::StatusOr<const ScanPlugin*> UsableScanPlugin();

}  // namespace aaren::attention

#endif  // AAREN_MODEL_ATTENTION_SCAN_CUDA_PLUGIN_LIBRARY_H_
