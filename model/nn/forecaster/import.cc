#include "model/nn/forecaster/import.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace aaren::nn {
namespace {

using Attentions = std::map<std::string, AarenImpl*>;  // by the prefix of the tensors' names

// A decay of 0 in a package would become an infinite logarithm, with no way back by training.
constexpr double kLeastDecay = 1e-9;  // keeps the logarithm, which is learned, finite
// The tolerance is far above the rounding of a float, and below the least difference between sines of two periods of
// forecaster.cc, 0.003.
constexpr double kSameRate = 1e-4;  // the tolerance of a cosine or sine

torch::Tensor ToTorch(const package::Tensor& tensor) { return torch::tensor(tensor.data).view(tensor.shape); }

torch::Tensor Exactly(const torch::Tensor& x) { return x.to(torch::kFloat64); }

// The parameters that a package holds unchanged, by their names in the package.
std::map<std::string, torch::Tensor> PlainParameters(const Forecaster& forecaster) {
  std::map<std::string, torch::Tensor> plain;
  for (const auto& item : forecaster->named_parameters()) {
    std::string name = item.key();
    for (const auto& [from, to] :
         {std::pair("embed_linear.", "embed.linear."), std::pair("embed_mlp.", "embed."),
          std::pair("season_gate.", "season.gate."), std::pair("season_residuals.", "season.residual."),
          std::pair("skip.", "head.skip.")}) {
      if (absl::StartsWith(name, from)) name = absl::StrCat(to, absl::StripPrefix(name, from));
    }
    plain[name] = item.value();
  }
  return plain;
}

Attentions AttentionsOf(const Forecaster& forecaster) {
  Attentions attentions;
  for (size_t i = 0; i < forecaster->blocks->size(); ++i) {
    const auto block = forecaster->blocks->ptr<GatedBlockImpl>(i);
    attentions[absl::StrCat("blocks.", i, ".attention.")] = block->attention.get();
  }
  return attentions;
}

// True if the rates agree. The first step's rotation is compared, because all later rotations follow.
bool SameRates(const package::ModelPackage& package, const std::string& attention, const torch::Tensor& rates) {
  const auto cosine = package.tensors.find(attention + "cos"), sine = package.tensors.find(attention + "sin");
  // TakeFolded reports a tensor of the wrong shape; here only rates are compared.
  if (cosine == package.tensors.end() || cosine->second.shape.back() != rates.numel()) return true;  // does not fit
  return torch::allclose(Exactly(ToTorch(cosine->second)[0]), rates.cos(), 0, kSameRate) &&
         torch::allclose(Exactly(ToTorch(sine->second)[0]), rates.sin(), 0, kSameRate);
}

// True if `from` fits except for columns of inputs that only the forecaster has.
bool LacksColumns(const torch::Tensor& from, const torch::Tensor& to, const package::ModelPackage& package,
                  const package::ForecasterConfig& config) {
  return from.dim() == 2 && from.size(0) == to.size(0) && package.config.ring == config.ring &&
         from.size(1) == package.config.input_width() && to.size(1) == config.input_width() &&
         from.size(1) < to.size(1);
}

bool TakePlain(const torch::Tensor& from, torch::Tensor to, const package::ModelPackage& package,
               const package::ForecasterConfig& config) {
  if (from.sizes() == to.sizes()) {
    to.copy_(from);
    return true;
  }
  if (!LacksColumns(from, to, package, config)) return false;
  to.zero_().narrow(1, 0, from.size(1)).copy_(from);
  return true;
}

// Changes W_k so that the folded query becomes `score` [H, d]. For each head, the least change is along the query.
void SetScore(const torch::Tensor& score, AarenImpl& attention) {
  const int64_t heads = attention.options.heads(), head_width = attention.options.width() / heads;
  const torch::nn::Linear& projection = attention.query_projection;
  // The fold is in float64 here and in export.cc, so a score loses digits only where W_k is rounded to its own type.
  const torch::Tensor query =
      torch::linear(Exactly(attention.query), Exactly(projection->weight), Exactly(projection->bias))
          .view({heads, 1, head_width});
  const torch::Tensor keys = Exactly(attention.key->weight).view({heads, head_width, -1});
  const torch::Tensor wanted =
      Exactly(score).to(keys.device()).unsqueeze(1) * std::sqrt(static_cast<double>(head_width));
  const torch::Tensor change =
      torch::matmul(query.transpose(1, 2), wanted - torch::matmul(query, keys)) / query.square().sum(-1, true);
  attention.key->weight.copy_((keys + change).view_as(attention.key->weight));
}

// Takes a tensor that a package holds in another form than the module. False if the tensor is another or does not fit.
bool TakeFolded(const std::string& name, const torch::Tensor& from, AarenImpl& attention) {
  if (name == "cos" || name == "sin") return from.size(1) == attention.rates.numel();  // not learned
  if (name == "decay" && from.sizes() == attention.log_decay.sizes()) {
    attention.log_decay.copy_(Exactly(from).clamp_min(kLeastDecay).log());
    return true;
  }
  if (name != "score.weight" || from.size(0) != attention.options.heads() ||
      from.size(1) != attention.options.width()) {
    return false;
  }
  SetScore(from, attention);
  return true;
}

}  // namespace

absl::StatusOr<std::vector<std::string>> TakeWeights(const package::ModelPackage& package, Forecaster& forecaster) {
  torch::NoGradGuard no_grad;
  // All blocks are compared before the first weight is taken, for an error must leave the forecaster unchanged.
  const Attentions attentions = AttentionsOf(forecaster);
  for (const auto& [prefix, attention] : attentions) {
    if (SameRates(package, prefix, attention->rates)) continue;
    return absl::FailedPreconditionError(
        absl::StrCat("package ", package.name, ": ", prefix, "cos is of other rates than this program's"));
  }
  const std::map<std::string, torch::Tensor> plain = PlainParameters(forecaster);
  std::vector<std::string> left;
  for (const auto& [name, tensor] : package.tensors) {
    const torch::Tensor from = ToTorch(tensor);
    const auto target = plain.find(name);
    if (target != plain.end() && TakePlain(from, target->second, package, forecaster->config)) continue;
    const auto owner = std::find_if(attentions.begin(), attentions.end(),
                                    [&](const auto& one) { return absl::StartsWith(name, one.first); });
    if (owner != attentions.end() && TakeFolded(name.substr(owner->first.size()), from, *owner->second)) continue;
    left.push_back(name);
  }
  return left;
}

}  // namespace aaren::nn
