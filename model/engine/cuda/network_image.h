#ifndef AAREN_MODEL_ENGINE_CUDA_NETWORK_IMAGE_H_
#define AAREN_MODEL_ENGINE_CUDA_NETWORK_IMAGE_H_

// A NetworkImage is a forecaster's network as a device is given it: the Program (program.h), and one piece of memory
// with the instructions and every constant that they name. Here is the order in which a tile goes through the layers.
//
// Weights lie as [depth][width], so that threads of neighbouring outputs read side by side. They are bfloat16 where the
// package's are. Of a gated product, outputs lie in pairs of gate and value. Threading: a plain value.

#include <cstddef>
#include <vector>

#include "model/engine/cuda/program.h"
#include "model/package/package.h"

namespace aaren::engine {

struct NetworkImage {
  // For a package that LoadPackage accepted. program.image is null: it is where the bytes come to lie on the device.
  explicit NetworkImage(const package::ModelPackage& package);

  Program program = {};
  std::vector<std::byte> bytes;
};

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_CUDA_NETWORK_IMAGE_H_
