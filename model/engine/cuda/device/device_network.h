#ifndef AAREN_MODEL_ENGINE_CUDA_DEVICE_DEVICE_NETWORK_H_
#define AAREN_MODEL_ENGINE_CUDA_DEVICE_DEVICE_NETWORK_H_

// The network on a device: tiles of up to 2,048 tokens, each a copy in, a call of the kernel and a copy out. The
// layers' part of a row is in the device's memory. A row has the address of this part at task_bytes() of the task, in
// place of the layers' bytes.

#include <memory>

#include "absl/status/statusor.h"
#include "model/engine/cuda/device/device.h"
#include "model/engine/cuda/stream/form_choice.h"
#include "model/engine/forecasting/network.h"
#include "model/package/package.h"

namespace aaren::engine {

// Makes the network of a package that LoadPackage accepted, and copies the weights to the device. ResourceExhausted if
// the memory of the device or of a block does not hold the network. REQUIRES: `table` outlives the network.
absl::StatusOr<std::unique_ptr<Network>> NewDeviceNetwork(const package::ModelPackage& package,
                                                          const DeviceTable& table, KernelUse use);

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_CUDA_DEVICE_DEVICE_NETWORK_H_
