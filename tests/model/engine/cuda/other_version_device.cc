// A library of another build, for device_library_test.cc.

#include "model/engine/cuda/device/device.h"

extern "C" __attribute__((visibility("default"))) const aaren::engine::DeviceTable* AarenDevice() {
  static const aaren::engine::DeviceTable table = [] {
    aaren::engine::DeviceTable other = {};
    other.version = -1;
    return other;
  }();
  return &table;
}
