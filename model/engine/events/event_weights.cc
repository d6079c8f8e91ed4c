#include "model/engine/events/event_weights.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "model/math/doubles.h"

namespace aaren::events {
namespace {

using package::Tensor;

Gain GainOf(const Tensor& tensor) {
  Gain gain;
  std::copy_n(tensor.data.begin(), kWidth, gain.value);
  return gain;
}

EventBlock BlockOf(const EventPackage& package, size_t index) {
  const auto tensor = [&](const char* name) -> const Tensor& {
    return package.tensors.at(absl::StrCat("blocks.", index, ".", name));
  };
  EventBlock block = {.norm1 = GainOf(tensor("norm1.weight")),
                      .norm2 = GainOf(tensor("norm2.weight")),
                      .wide = PackedMatrix::Pack({{tensor("attention.score.weight")},
                                                  {tensor("attention.value.weight")},
                                                  {tensor("attention.gate.weight"), &tensor("attention.gate.bias")}}),
                      .output = PackedMatrix::Pack({{tensor("attention.output.weight")}}),
                      .gate_up = PackedMatrix::Pack({{tensor("mlp.gate.weight")}, {tensor("mlp.up.weight")}}),
                      .down = PackedMatrix::Pack({{tensor("mlp.down.weight")}}),
                      .decay = {}};
  const Tensor& logs = tensor("attention.log_decay");
  // The exponential is our own, because the C library's last bits differ between machines.
  for (size_t h = 0; h < kHeads; ++h) block.decay[h] = math::Exp(logs.data[h]);
  return block;
}

}  // namespace

EventWeights::EventWeights(const EventPackage& package) {
  const auto tensor = [&](const char* name) -> const Tensor& { return package.tensors.at(name); };
  embed = PackedMatrix::Pack({{tensor("input_mlp.gate.weight")},
                              {tensor("input_mlp.up.weight")},
                              {tensor("input.weight"), &tensor("input.bias")}});
  embed_down = PackedMatrix::Pack({{tensor("input_mlp.down.weight")}});
  for (size_t k = 0; k < kBlocks; ++k) blocks.push_back(BlockOf(package, k));
  norm = GainOf(tensor("norm.weight"));
  heads = PackedMatrix::Pack({{tensor("time.weight"), &tensor("time.bias")},
                              {tensor("mark_token.weight"), &tensor("mark_token.bias")},
                              {tensor("mark_line.weight"), &tensor("mark_line.bias")},
                              {tensor("mark_new.weight"), &tensor("mark_new.bias")}});
  mark_input = PackedMatrix::Pack({{tensor("mark_input.weight")}});
  mark_hidden = PackedMatrix::Pack({{tensor("mark_hidden.weight")}});
}

}  // namespace aaren::events
