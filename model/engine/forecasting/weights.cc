#include "model/engine/forecasting/weights.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "model/engine/network/split_rows.h"
#include "model/math/lanes.h"

namespace aaren::engine {
namespace {

// The tensors whose names begin with a prefix, by the rest of the name.
class Tensors {
 public:
  Tensors(const package::ModelPackage& package, std::string prefix) : package_(package), prefix_(std::move(prefix)) {}

  const package::Tensor& operator[](const char* name) const { return package_.tensors.at(absl::StrCat(prefix_, name)); }

 private:
  const package::ModelPackage& package_;
  std::string prefix_;
};

hwy::AlignedFreeUniquePtr<float[]> Padded(const package::Tensor& vector) {
  const size_t count = math::PadToLanes(vector.data.size());
  auto padded = hwy::AllocateAligned<float>(count);
  // The kernels read the padding, and RmsNorm needs zeros there (activation.h).
  std::fill(std::copy(vector.data.begin(), vector.data.end(), padded.get()), padded.get() + count, 0.0f);
  return padded;
}

GatedMlp PackMlp(const Tensors& tensors) {
  return {.gate_up = PackedMatrix::Pack({{tensors["gate.weight"]}, {tensors["up.weight"]}}),
          .down = PackedMatrix::Pack({{tensors["down.weight"]}})};
}

BlockWeights PackBlock(const package::ModelPackage& package, int layer) {
  const std::string prefix = absl::StrCat("blocks.", layer, ".");
  const Tensors block(package, prefix);
  const Tensors attention(package, prefix + "attention.");
  return {.attention_norm = Padded(block["norm1.weight"]),
          // Products of one input lie side by side, so a kernel makes all of them in one pass over the input.
          .score_value_gate = PackedMatrix::Pack({{attention["score.weight"]},
                                                  {attention["value.weight"], &attention["value.bias"]},
                                                  {attention["gate.weight"], &attention["gate.bias"]}}),
          .ageing = Ageing(package.config, attention["decay"], attention["cos"], attention["sin"]),
          .output = PackedMatrix::Pack({{attention["output.weight"], &attention["output.bias"]}}),
          .mlp_norm = Padded(block["norm2.weight"]),
          .mlp = PackMlp(Tensors(package, prefix + "mlp."))};
}

}  // namespace

Weights::Weights(const package::ModelPackage& package) : norm(Padded(package.tensors.at("norm.weight"))) {
  embed_mlp = PackMlp(Tensors(package, "embed."));
  const Tensors tensors(package, "");
  embed = PackedMatrix::Pack({{tensors["embed.linear.weight"], &tensors["embed.linear.bias"]}});
  for (int layer = 0; layer < package.config.layers; ++layer) {
    blocks.push_back(PackBlock(package, layer));
  }
  head = PackedMatrix::Pack({{tensors["head.weight"], &tensors["head.bias"]}});
  skip = PackedMatrix::Pack({{tensors["head.skip.weight"]}});
  if (package.config.seasons) seasons.emplace(package);
}

package::ModelPackage RoundedWeights(package::ModelPackage package) {
  for (auto& [name, tensor] : package.tensors) {
    if (tensor.shape.size() != 2 || !absl::EndsWith(name, ".weight")) continue;  // norms and tables keep their bits
    std::transform(tensor.data.begin(), tensor.data.end(), tensor.data.begin(), RoundWeight);
  }
  return package;
}

std::vector<LayerBound> BoundsOf(const package::ModelPackage& package) {
  std::vector<LayerBound> bounds;
  for (int layer = 0; layer < package.config.layers; ++layer) {
    const Tensors block(package, absl::StrCat("blocks.", layer, "."));
    bounds.emplace_back(package.config, block["norm1.weight"], block["attention.score.weight"],
                        block["attention.value.weight"], block["attention.value.bias"]);
  }
  return bounds;
}

}  // namespace aaren::engine
