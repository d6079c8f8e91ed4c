#include "model/nn/encoder/classifier_export.h"

#include <torch/torch.h>

#include <cmath>

#include "absl/strings/str_cat.h"

namespace aaren::nn {
namespace {

using Tensors = std::map<std::string, package::Tensor>;

package::Tensor ToTensor(const torch::Tensor& tensor) {
  const torch::Tensor flat = tensor.detach().to(torch::kFloat32).contiguous();
  return {.shape = flat.sizes().vec(), .data = {flat.data_ptr<float>(), flat.data_ptr<float>() + flat.numel()}};
}

// A Linear or a LayerNorm.
template <typename Module>
void Add(const std::string& name, const Module& module, Tensors& tensors) {
  tensors[name + ".weight"] = ToTensor(module->weight);
  tensors[name + ".bias"] = ToTensor(module->bias);
}

// [H, d]: the bias of W_k adds a constant to all scores of a head, and softmax cancels the constant.
torch::Tensor FoldedQuery(const MultiHeadAttentionImpl& attention) {
  const int64_t heads = attention.options.heads(), head_width = attention.options.width() / heads;
  const auto exact = [](const torch::Tensor& tensor) { return tensor.detach().to(torch::kFloat64); };
  const torch::Tensor query =
      torch::matmul(exact(attention.query->weight), exact(attention.token)) + exact(attention.query->bias);
  const torch::Tensor keys = exact(attention.key->weight).view({heads, head_width, -1});
  return torch::matmul(query.view({heads, 1, head_width}), keys).squeeze(1) /
         std::sqrt(static_cast<double>(head_width));
}

void AddLayer(const std::string& name, const EncoderLayerImpl& layer, Tensors& tensors) {
  tensors[name + "attention.score.weight"] = ToTensor(FoldedQuery(*layer.attention));
  Add(name + "attention.value", layer.attention->value, tensors);
  Add(name + "attention.output", layer.attention->output, tensors);
  Add(name + "norm", layer.norm, tensors);
  Add(name + "mlp.up", layer.mlp->up, tensors);
  Add(name + "mlp.down", layer.mlp->down, tensors);
  Add(name + "mlp.norm", layer.mlp->norm, tensors);
}

}  // namespace

absl::StatusOr<std::map<std::string, package::Tensor>> ClassifierTensors(const Classifier& classifier) {
  const ClassifierOptions& options = classifier->options;
  if (!options.aaren || !options.causal_embedding) {
    return absl::FailedPreconditionError("only an Aaren with a causal embedding can be streamed");
  }
  const int64_t width = options.encoder().width();
  Tensors tensors;
  // [d, V, 3] becomes [d, 3 V]: the window of a token has whole steps, the oldest first.
  tensors["embedding.window"] = ToTensor(classifier->embedding->window.transpose(1, 2).flatten(1));
  tensors["embedding.position"] =
      ToTensor(SinusoidalCode(torch::arange(options.steps, torch::dtype(torch::kFloat32)), width));
  for (int64_t i = 0; i < options.layers; ++i) {
    const auto layer = classifier->encoder->layers->ptr<EncoderLayerImpl>(static_cast<size_t>(i));
    AddLayer(absl::StrCat("layers.", i, "."), *layer, tensors);
  }
  Add("norm", classifier->encoder->norm, tensors);
  // [C, N d] becomes [N, C, d]: each step reads weights that lie together.
  const torch::Tensor head = classifier->head->weight.view({options.classes, options.steps, width});
  tensors["head.weight"] = ToTensor(head.transpose(0, 1));
  tensors["head.bias"] = ToTensor(classifier->head->bias);
  return tensors;
}

}  // namespace aaren::nn
