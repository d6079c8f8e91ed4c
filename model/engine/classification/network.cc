#include "model/engine/classification/network.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "model/engine/network/product.h"
#include "model/math/lanes.h"

namespace aaren::classification {
namespace {

using engine::PackedMatrix;
using package::ModelPackage;
using package::Tensor;

constexpr size_t kAttendedStride = math::PadToLanes(kHeads) + kWidth;

const Tensor& At(const ModelPackage& package, const std::string& name) { return package.tensors.at(name); }

PackedMatrix LinearOf(const ModelPackage& package, const std::string& name) {
  return PackedMatrix::Pack({{At(package, name + ".weight"), &At(package, name + ".bias")}});
}

Norm NormOf(const ModelPackage& package, const std::string& name) {
  Norm norm;
  std::copy_n(At(package, name + ".weight").data.begin(), kWidth, norm.gain);
  std::copy_n(At(package, name + ".bias").data.begin(), kWidth, norm.offset);
  return norm;
}

// [N, C, d] to [N, d, C], so that the sums of all classes grow side by side.
std::vector<float> HeadOf(const Tensor& weight) {
  const auto steps = static_cast<size_t>(weight.shape[0]), classes = static_cast<size_t>(weight.shape[1]);
  std::vector<float> head(weight.data.size());
  for (size_t n = 0; n < steps; ++n) {
    for (size_t c = 0; c < classes; ++c) {
      for (size_t j = 0; j < kWidth; ++j) {
        head[(n * kWidth + j) * classes + c] = weight.data[(n * classes + c) * kWidth + j];
      }
    }
  }
  return head;
}

hwy::AlignedFreeUniquePtr<float[]> Zeros(size_t count) {
  hwy::AlignedFreeUniquePtr<float[]> floats = hwy::AllocateAligned<float>(count);
  std::fill_n(floats.get(), count, 0.0f);
  return floats;
}

}  // namespace

Tile::Tile(size_t channels, size_t classes)
    : input_stride(math::PadToLanes(kWindow * channels)),
      inputs(Zeros(kTile * input_stride)),
      x(Zeros(kTile * kWidth)),
      attended(Zeros(kTile * kAttendedStride)),
      added(Zeros(kTile * kWidth)),
      hidden(Zeros(kTile * kHidden)),
      sums(classes),
      work(classes) {}

Network::Network(const ModelPackage& package)
    : channels_(package.classifier.channels()),
      steps_(static_cast<size_t>(package.classifier.steps)),
      embedding_(PackedMatrix::Pack({{At(package, "embedding.window")}})),
      positions_(At(package, "embedding.position").data),
      norm_(NormOf(package, "norm")),
      head_(HeadOf(At(package, "head.weight"))) {
  for (size_t i = 0; i < kLayers; ++i) {
    const std::string layer = absl::StrCat("layers.", i, ".");
    layers_.push_back({.wide = PackedMatrix::Pack({{At(package, layer + "attention.score.weight")},
                                                   {At(package, layer + "attention.value.weight"),
                                                    &At(package, layer + "attention.value.bias")}}),
                       .output = LinearOf(package, layer + "attention.output"),
                       .up = LinearOf(package, layer + "mlp.up"),
                       .down = LinearOf(package, layer + "mlp.down"),
                       .norm = NormOf(package, layer + "norm"),
                       .mlp_norm = NormOf(package, layer + "mlp.norm")});
  }
  const std::vector<float>& bias = At(package, "head.bias").data;
  bias_.assign(bias.begin(), bias.end());
}

void Network::Take(const float* token, const RowView& row, float* probabilities, Tile& tile) const {
  const size_t place = tile.size++, before = (kWindow - 1) * channels_;
  const auto position = static_cast<size_t>(std::min<uint64_t>(row.header->count++, steps_));
  tile.waiting[place] = {row, position, probabilities};
  // The kernels read every place of the tile, and a place without a token holds numbers of earlier tokens.
  if (position == steps_) return;
  float* const input = tile.input(place);
  std::copy_n(token, channels_, std::copy_n(row.recent, before, input));
  std::copy_n(input + channels_, before, row.recent);
}

void Network::Pass(Tile& tile) const {
  if (tile.size == 0) return;
  Embed(tile);
  for (size_t i = 0; i < kLayers; ++i) {
    Attend(i, tile);
    AddMlp(layers_[i], tile);
  }
  for (size_t t = 0; t < tile.size; ++t) Finish(t, tile);
  tile.size = 0;
}

void Network::Embed(Tile& tile) const {
  engine::Multiply(embedding_, tile.inputs.get(), tile.input_stride, tile.size, tile.x.get(), kWidth);
  for (size_t t = 0; t < tile.size; ++t) {
    if (tile.waiting[t].position == steps_) continue;
    const float* code = positions_.data() + tile.waiting[t].position * kWidth;
    float* x = tile.x.get() + t * kWidth;
    for (size_t j = 0; j < kWidth; ++j) x[j] += code[j];
  }
}

void Network::Attend(size_t index, Tile& tile) const {
  const Layer& layer = layers_[index];
  engine::Multiply(layer.wide, tile.x.get(), kWidth, tile.size, tile.attended.get(), kAttendedStride);
  for (size_t t = 0; t < tile.size; ++t) {
    const Tile::Waiting& waiting = tile.waiting[t];
    if (waiting.position == steps_) continue;
    const float* wide = tile.attended.get() + t * kAttendedStride;
    // The hidden places are free until the MLP.
    FoldToken(wide + layer.wide.offset(Layer::kScore), wide + layer.wide.offset(Layer::kValue),
              waiting.row.layers[index], tile.hidden.get() + t * kWidth);
  }
  engine::Multiply(layer.output, tile.hidden.get(), kWidth, tile.size, tile.added.get(), kWidth);
  for (size_t t = 0; t < tile.size; ++t) {
    float* x = tile.x.get() + t * kWidth;
    LayerNorm(x, tile.added.get() + t * kWidth, layer.norm, x);
  }
}

void Network::AddMlp(const Layer& layer, Tile& tile) const {
  engine::Multiply(layer.up, tile.x.get(), kWidth, tile.size, tile.hidden.get(), kHidden);
  for (size_t t = 0; t < tile.size; ++t) Gelu(kHidden, tile.hidden.get() + t * kHidden);
  engine::Multiply(layer.down, tile.hidden.get(), kHidden, tile.size, tile.added.get(), kWidth);
  for (size_t t = 0; t < tile.size; ++t) {
    float* x = tile.x.get() + t * kWidth;
    LayerNorm(x, tile.added.get() + t * kWidth, layer.mlp_norm, x);
  }
}

void Network::Finish(size_t token, Tile& tile) const {
  const Tile::Waiting& waiting = tile.waiting[token];
  const size_t classes = bias_.size();
  if (waiting.position < steps_) {
    float* x = tile.x.get() + token * kWidth;
    LayerNorm(x, nullptr, norm_, x);
    Gelu(kWidth, x);
    std::fill(tile.sums.begin(), tile.sums.end(), 0.0);
    const float* head = head_.data() + waiting.position * kWidth * classes;
    for (size_t j = 0; j < kWidth; ++j, head += classes) {
      for (size_t c = 0; c < classes; ++c) tile.sums[c] += static_cast<double>(x[j]) * head[c];
    }
    for (size_t c = 0; c < classes; ++c) waiting.row.logits[c] += tile.sums[c];
  }
  if (waiting.probabilities != nullptr) {
    Softmax(waiting.row.logits, classes, tile.work.data(), waiting.probabilities);
  }
}

}  // namespace aaren::classification
