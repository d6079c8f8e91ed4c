// The emulated device as a library in place of a GPU's: with AAREN_ENGINE_PLUGIN=libemulated_library.so any program has
// the emulated device.

#include "tests/model/engine/cuda/emulated_device.h"

extern "C" __attribute__((visibility("default"))) const aaren::engine::DeviceTable* AarenDevice() {
  return &aaren::engine::EmulatedDevice();
}
