// The emulated device as a library, such as programs load for a GPU: AAREN_ENGINE_PLUGIN=libemulated_library.so makes
// any of them believe that it has one.

#include "tests/model/engine/cuda/emulated_device.h"

extern "C" __attribute__((visibility("default"))) const aaren::engine::DeviceTable* AarenDevice() {
  return &aaren::engine::EmulatedDevice();
}
