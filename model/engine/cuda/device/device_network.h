#ifndef AAREN_MODEL_ENGINE_CUDA_DEVICE_DEVICE_NETWORK_H_
#define AAREN_MODEL_ENGINE_CUDA_DEVICE_DEVICE_NETWORK_H_

// The network on a device: tiles of up to 2,048 tokens, each a copy in, a call of the kernel and a copy out. What the
// layers remember of a series is in the device's memory. Where a row has its layers on a CPU, at task_bytes() of the
// task, it has their address there.

#include <memory>

#include "absl/status/statusor.h"
#include "model/engine/cuda/device/device.h"
#include "model/engine/cuda/stream/form_choice.h"
#include "model/engine/forecasting/network.h"
#include "model/package/package.h"

namespace aaren::engine {

// For a package that LoadPackage accepted; its weights are copied to the device. ResourceExhausted if the device's
// memory, or that of its blocks, does not hold the network. `table` outlives it.
absl::StatusOr<std::unique_ptr<Network>> NewDeviceNetwork(const package::ModelPackage& package,
                                                          const DeviceTable& table, KernelUse use);

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_CUDA_DEVICE_DEVICE_NETWORK_H_
