#include "absl/strings/str_cat.h"
#include "model/package/package.h"

namespace aaren::package {
namespace {

using Shapes = std::map<std::string, std::vector<int64_t>>;

void AddBlock(const ForecasterConfig& c, int layer, Shapes& shapes) {
  const std::string block = absl::StrCat("blocks.", layer, ".");
  const std::string attention = block + "attention.";
  shapes[block + "norm1.weight"] = {c.width};
  shapes[attention + "score.weight"] = {c.heads, c.width};
  shapes[attention + "value.weight"] = {c.value_width, c.width};
  shapes[attention + "value.bias"] = {c.value_width};
  shapes[attention + "gate.weight"] = {c.value_width, c.width};
  shapes[attention + "gate.bias"] = {c.value_width};
  shapes[attention + "output.weight"] = {c.width, c.value_width};
  shapes[attention + "output.bias"] = {c.width};
  shapes[attention + "decay"] = {c.heads};
  shapes[attention + "cos"] = {c.fold_every, c.value_width / 2};
  shapes[attention + "sin"] = {c.fold_every, c.value_width / 2};
  shapes[block + "norm2.weight"] = {c.width};
  shapes[block + "mlp.gate.weight"] = {c.mlp_hidden, c.width};
  shapes[block + "mlp.up.weight"] = {c.mlp_hidden, c.width};
  shapes[block + "mlp.down.weight"] = {c.width, c.mlp_hidden};
}

void AddSeasons(const ForecasterConfig& c, Shapes& shapes) {
  const int64_t logits = static_cast<int64_t>(c.season_knots().size()) * ForecasterConfig::kSeasonalParts;
  shapes["season.gate.weight"] = {logits, c.width};
  shapes["season.gate.bias"] = {logits};
  for (int source = 0; source < ForecasterConfig::kSeasonalParts - 2; ++source) {  // not the skip, nor the last value
    shapes[absl::StrCat("season.residual.", source, ".weight")] = {c.horizon, ForecasterConfig::kSeasonalResiduals};
  }
}

}  // namespace

Shapes ExpectedTensors(const ForecasterConfig& c) {
  // The product is formed in 64 bits, although config.cc keeps the sizes small.
  const int64_t outputs = int64_t{c.horizon} * c.quantile_count();
  Shapes shapes = {
      {"embed.linear.weight", {c.width, c.input_width()}},
      {"embed.linear.bias", {c.width}},
      {"embed.gate.weight", {c.embed_hidden, c.input_width()}},
      {"embed.up.weight", {c.embed_hidden, c.input_width()}},
      {"embed.down.weight", {c.width, c.embed_hidden}},
      {"norm.weight", {c.width}},
      {"head.weight", {outputs, c.width}},
      {"head.bias", {outputs}},
      {"head.skip.weight", {c.horizon, c.input_width()}},
  };
  for (int layer = 0; layer < c.layers; ++layer) AddBlock(c, layer, shapes);
  if (c.seasons) AddSeasons(c, shapes);
  return shapes;
}

}  // namespace aaren::package
