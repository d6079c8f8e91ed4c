#ifndef AAREN_MODEL_ENGINE_CUDA_NETWORK_IMAGE_H_
#define AAREN_MODEL_ENGINE_CUDA_NETWORK_IMAGE_H_

// A NetworkImage is a forecaster's network in the form for a device: the Program (program.h), and one piece of memory
// with the instructions and all their constants. The instructions are the order in which a tile passes the layers.
//
// Weights lie as [depth][width], and threads of neighbouring outputs read side by side. Weights are bfloat16 where the
// package's weights are. A gated product's outputs lie in pairs of gate and value. Threading: a plain value.

#include <cstddef>
#include <vector>

#include "model/engine/cuda/program.h"
#include "model/package/package.h"

namespace aaren::engine {

struct NetworkImage {
  // For a package that LoadPackage accepted. program.image is null until the bytes lie on the device.
  explicit NetworkImage(const package::ModelPackage& package);

  Program program = {};
  std::vector<std::byte> bytes;
};

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_CUDA_NETWORK_IMAGE_H_
