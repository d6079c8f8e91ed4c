// A plug-in of a version that no program accepts.

#include "model/attention/scan/cuda/scan_plugin.h"

extern "C" const aaren::attention::ScanPlugin* AarenScanPlugin() {
  static const aaren::attention::ScanPlugin plugin = {-1, nullptr, nullptr, nullptr, nullptr, nullptr};
  return &plugin;
}
