#include "tests/bench/engine/step_shape.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "absl/strings/match.h"
#include "tests/model/engine/random_package.h"

namespace aaren::bench {
namespace {

// Eight steps ahead of 32 values: nearly all of the work is in the blocks.
package::ForecasterConfig Plain(int width, int layers) {
  return {.ring = 32,
          .width = width,
          .layers = layers,
          .heads = 4,
          .value_width = width,
          .embed_hidden = width,
          .mlp_hidden = 2 * width,
          .horizon = 8};
}

// True if a token's step multiplies by the tensor. A rotation is a table.
bool IsMatrix(const std::string& name, const package::Tensor& tensor) {
  return tensor.shape.size() == 2 && !absl::EndsWith(name, ".cos") && !absl::EndsWith(name, ".sin");
}

bool IsHalf(float weight) { return (std::bit_cast<uint32_t>(weight) & 0xffff) == 0; }

}  // namespace

absl::StatusOr<std::vector<StepShape>> StepShapes() {
  absl::StatusOr<package::ModelPackage> bundled = package::LoadPackage(AAREN_BUNDLED_MODEL);
  if (!bundled.ok()) return bundled.status();
  std::vector<StepShape> shapes;
  shapes.push_back({"bundled", *std::move(bundled)});
  for (const auto& [width, layers] : {std::pair(64, 2), std::pair(128, 3), std::pair(512, 4)}) {
    shapes.push_back({"plain", engine::RandomPackage(Plain(width, layers), 1)});
  }
  return shapes;
}

double FlopPerToken(const package::ModelPackage& package) {
  double flop = 0;
  for (const auto& [name, tensor] : package.tensors) {
    if (IsMatrix(name, tensor)) flop += 2.0 * static_cast<double>(tensor.data.size());
  }
  return flop;
}

size_t WeightBytes(const package::ModelPackage& package) {
  size_t bytes = 0;
  for (const auto& [name, tensor] : package.tensors) {
    if (!IsMatrix(name, tensor)) continue;
    const bool halved = std::all_of(tensor.data.begin(), tensor.data.end(), IsHalf);
    bytes += tensor.data.size() * (halved ? 2 : 4);
  }
  return bytes;
}

}  // namespace aaren::bench
