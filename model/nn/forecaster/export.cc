#include "model/nn/forecaster/export.h"

#include <torch/torch.h>

#include <algorithm>
#include <utility>

namespace aaren::nn {
namespace {

package::Tensor ToTensor(const torch::Tensor& tensor) {
  const torch::Tensor flat = tensor.detach().to(torch::kFloat32).contiguous();
  return {.shape = flat.sizes().vec(), .data = {flat.data_ptr<float>(), flat.data_ptr<float>() + flat.numel()}};
}

void AddLinear(const std::string& name, const torch::nn::Linear& linear, package::ModelPackage& package) {
  package.tensors[name + ".weight"] = ToTensor(linear->weight);
  if (linear->bias.defined()) package.tensors[name + ".bias"] = ToTensor(linear->bias);
}

void AddMlp(const std::string& name, const GatedMlp& mlp, package::ModelPackage& package) {
  AddLinear(name + ".gate", mlp->gate, package);
  AddLinear(name + ".up", mlp->up, package);
  AddLinear(name + ".down", mlp->down, package);
}

void AddAttention(const std::string& name, const Aaren& attention, int fold_every, package::ModelPackage& package) {
  // The score is a product of three learned tensors. In float64 the score is rounded once, when written. The clone
  // leaves the caller's module in its own type.
  Aaren exact(std::dynamic_pointer_cast<AarenImpl>(attention->clone()));
  exact->to(torch::kFloat64);
  package.tensors[name + ".score.weight"] = ToTensor(exact->FoldedQuery());
  package.tensors[name + ".decay"] = ToTensor(exact->Decay());
  // A gap between folds is 1 ... S tokens (rule 4.3), so the table has S rows, and row i - 1 turns by a gap of i.
  const torch::Tensor elapsed = torch::arange(1, fold_every + 1, torch::kFloat64).unsqueeze(1);
  const torch::Tensor angles = elapsed * attention->rates;  // [S, V / 2]
  package.tensors[name + ".cos"] = ToTensor(angles.cos());
  package.tensors[name + ".sin"] = ToTensor(angles.sin());
  AddLinear(name + ".value", attention->value, package);
  AddLinear(name + ".gate", attention->gate, package);
  AddLinear(name + ".output", attention->output, package);
}

void AddBlock(const std::string& name, const GatedBlock& block, int fold_every, package::ModelPackage& package) {
  package.tensors[name + ".norm1.weight"] = ToTensor(block->norm1->weight);
  AddAttention(name + ".attention", block->attention, fold_every, package);
  package.tensors[name + ".norm2.weight"] = ToTensor(block->norm2->weight);
  AddMlp(name + ".mlp", block->mlp, package);
}

void AddSeasons(const Forecaster& forecaster, package::ModelPackage& package) {
  AddLinear("season.gate", forecaster->season_gate, package);
  for (size_t i = 0; i < forecaster->season_residuals->size(); ++i) {
    const torch::nn::Linear residual(forecaster->season_residuals->ptr<torch::nn::LinearImpl>(i));
    AddLinear("season.residual." + std::to_string(i), residual, package);
  }
}

// Rounds to the nearest bfloat16, ties to even. REQUIRES: the value is finite.
float RoundToBfloat16(float value) { return static_cast<float>(c10::BFloat16(value)); }

}  // namespace

void RoundMatrices(package::ModelPackage& package) {
  for (auto& [name, tensor] : package.tensors) {
    if (tensor.shape.size() != 2 || !name.ends_with(".weight")) continue;  // the tables of cos and sin stay
    std::transform(tensor.data.begin(), tensor.data.end(), tensor.data.begin(), RoundToBfloat16);
  }
}

package::ModelPackage ToPackage(Forecaster forecaster) {
  torch::NoGradGuard no_grad;
  package::ModelPackage package;
  package.config = forecaster->config;
  AddLinear("embed.linear", forecaster->embed_linear, package);
  AddMlp("embed", forecaster->embed_mlp, package);
  for (size_t i = 0; i < forecaster->blocks->size(); ++i) {
    const GatedBlock block(std::dynamic_pointer_cast<GatedBlockImpl>(forecaster->blocks->ptr(i)));
    AddBlock("blocks." + std::to_string(i), block, forecaster->config.fold_every, package);
  }
  package.tensors["norm.weight"] = ToTensor(forecaster->norm->weight);
  AddLinear("head", forecaster->head, package);
  AddLinear("head.skip", forecaster->skip, package);
  if (forecaster->config.seasons) AddSeasons(forecaster, package);
  return package;
}

}  // namespace aaren::nn
