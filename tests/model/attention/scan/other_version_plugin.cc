// A plug-in of a version that no program wants.

#include "model/attention/scan/scan_plugin.h"

extern "C" const aaren::ScanPlugin* AarenScanPlugin() {
  static const aaren::ScanPlugin plugin = {-1, nullptr, nullptr, nullptr, nullptr, nullptr};
  return &plugin;
}
