#include "model/training/paper/experiments/radam.h"

#include <torch/torch.h>

#include <cmath>

namespace aaren::training {
namespace {

constexpr double kBeta1 = 0.9, kBeta2 = 0.999, kEpsilon = 1e-8;

}  // namespace

RAdam::RAdam(std::vector<torch::Tensor> parameters, double rate) : rate_(rate) {
  for (torch::Tensor& parameter : parameters) {
    slots_.push_back({parameter, torch::zeros_like(parameter), torch::zeros_like(parameter)});
  }
}

void RAdam::Step() {
  torch::NoGradGuard no_grad;
  const auto steps = static_cast<double>(++steps_);
  const double left1 = 1 - std::pow(kBeta1, steps), left2 = 1 - std::pow(kBeta2, steps);
  const double longest = 2 / (1 - kBeta2) - 1, length = longest - 2 * steps * std::pow(kBeta2, steps) / left2;
  for (Slot& slot : slots_) {
    const torch::Tensor& gradient = slot.parameter.grad();
    if (!gradient.defined()) continue;
    slot.first.lerp_(gradient, 1 - kBeta1);
    slot.second.mul_(kBeta2).addcmul_(gradient, gradient, 1 - kBeta2);
    if (length <= 5) {  // too young for a mean square: a step of momentum alone
      slot.parameter.sub_(slot.first, rate_ / left1);
    } else {
      const double rectified =
          std::sqrt((length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length));
      slot.parameter.addcdiv_(slot.first, slot.second.sqrt() + kEpsilon, -rate_ / left1 * rectified * std::sqrt(left2));
    }
    slot.parameter.mutable_grad() = torch::Tensor();
  }
}

}  // namespace aaren::training
