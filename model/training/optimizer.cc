#include "model/training/optimizer.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "absl/strings/match.h"

namespace aaren::training {
namespace {

constexpr double kMuonMomentum = 0.95, kFirst = 0.9, kSecond = 0.98, kEpsilon = 1e-8;  // the last three are AdamW's

// Roughly U V^T of the singular value decomposition of x: the singular values end in about [0.7, 1.2].
torch::Tensor Orthogonal(const torch::Tensor& x) {
  const bool tall = x.size(0) > x.size(1);
  torch::Tensor y = tall ? x.t() : x;
  y = y / (y.norm() + 1e-7);
  // The coefficients of the Newton-Schulz step are those of Jordan et al. 2024.
  for (int i = 0; i < 5; ++i) {
    const torch::Tensor square = torch::mm(y, y.t());
    y = 3.4445 * y + torch::mm(-4.7750 * square + 2.0315 * torch::mm(square, square), y);
  }
  return tall ? y.t() : y;
}

// True for the matrices of a network's blocks, and of the gated MLP that reads a token's inputs.
bool InTheBlocks(const std::string& name) { return name.starts_with("blocks.") || name.starts_with("input_mlp."); }

// True for W_q and W_k, which multiply no token. W_q and W_k make the folded query, a vector per head; their
// gradients have rank one.
bool MakesTheQuery(const std::string& name) {
  return absl::StrContains(name, ".query_projection.") || absl::StrContains(name, ".key.");
}

}  // namespace

Optimizer::Optimizer(const torch::nn::Module& module, const OptimizerOptions& options) : options_(options) {
  for (const auto& item : module.named_parameters()) {
    const bool muon = InTheBlocks(item.key()) && item.value().dim() == 2 && !MakesTheQuery(item.key());
    Slot slot{.name = item.key(),
              .parameter = item.value(),
              .muon = muon,
              .first = torch::zeros_like(item.value()),
              .second = {}};
    if (!muon) slot.second = torch::zeros_like(item.value());
    slots_.push_back(slot);
  }
}

void Optimizer::Step(double factor) {
  torch::NoGradGuard no_grad;
  ++steps_;
  Clip();
  for (Slot& slot : slots_) {
    if (!slot.parameter.grad().defined()) continue;
    slot.muon ? StepMuon(slot, factor * options_.muon_rate) : StepAdam(slot, factor * options_.rate);
    slot.parameter.mutable_grad().reset();
  }
}

void Optimizer::Clip() const {
  torch::Tensor square = torch::zeros({}, slots_.front().parameter.options().dtype(torch::kFloat64));
  for (const Slot& slot : slots_) {
    if (slot.parameter.grad().defined()) square += slot.parameter.grad().square().sum();
  }
  const double norm = std::sqrt(square.item<double>());
  if (norm <= options_.clip) return;
  for (const Slot& slot : slots_) {
    if (slot.parameter.grad().defined()) slot.parameter.grad().mul_(options_.clip / norm);
  }
}

void Optimizer::StepMuon(Slot& slot, double rate) const {
  const torch::Tensor& gradient = slot.parameter.grad();
  slot.first.mul_(kMuonMomentum).add_(gradient, 1 - kMuonMomentum);
  const torch::Tensor ahead = gradient.lerp(slot.first, kMuonMomentum);  // Nesterov
  const double shape = std::max(1.0, static_cast<double>(gradient.size(0)) / static_cast<double>(gradient.size(1)));
  slot.parameter.mul_(1 - rate * options_.weight_decay).add_(Orthogonal(ahead), -rate * std::sqrt(shape));
}

void Optimizer::StepAdam(Slot& slot, double rate) const {
  const torch::Tensor& gradient = slot.parameter.grad();
  slot.first.lerp_(gradient, 1 - kFirst);
  slot.second.mul_(kSecond).addcmul_(gradient, gradient, 1 - kSecond);
  const double first_bias = 1 - std::pow(kFirst, steps_), second_bias = 1 - std::pow(kSecond, steps_);
  const torch::Tensor deviation = (slot.second / second_bias).sqrt_().add_(kEpsilon);
  if (slot.parameter.dim() == 2) slot.parameter.mul_(1 - rate * options_.weight_decay);
  slot.parameter.addcdiv_(slot.first, deviation, -rate / first_bias);
}

std::map<std::string, torch::Tensor> Optimizer::State() const {
  std::map<std::string, torch::Tensor> state;
  for (const Slot& slot : slots_) {
    state[slot.name + ".first"] = slot.first;
    if (!slot.muon) state[slot.name + ".second"] = slot.second;
  }
  return state;
}

double RateFactor(int64_t step, int64_t steps) {
  const double warmup = std::min(50.0, std::ceil(steps / 10.0));
  const double done = static_cast<double>(step) / static_cast<double>(steps);
  return std::min(1.0, (step + 1) / warmup) * 0.5 * (1 + std::cos(std::numbers::pi * done));
}

}  // namespace aaren::training
