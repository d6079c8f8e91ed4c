#ifndef AAREN_MODEL_TRAINING_PAPER_EXPERIMENTS_BEST_EPOCH_H_
#define AAREN_MODEL_TRAINING_PAPER_EXPERIMENTS_BEST_EPOCH_H_

// Early stopping: keeps the weights of the best epoch, and says when to stop.

#include <torch/nn/module.h>
#include <torch/types.h>

#include <cstdint>
#include <vector>

namespace aaren::training {

class BestEpoch {
 public:
  // Copies of the weights of the epoch with the lowest loss; the later of equals.
  explicit BestEpoch(const torch::nn::Module& module) : parameters_(module.parameters()) {}

  void Take(double loss) {
    ++since_;
    if (!kept_.empty() && loss > best_) return;
    best_ = loss;
    since_ = 0;
    kept_.clear();
    for (const torch::Tensor& parameter : parameters_) kept_.push_back(parameter.detach().clone());
  }

  // Epochs since the best.
  int64_t since() const { return since_; }

  // Gives the module the best weights. REQUIRES: Take was called.
  void Restore() {
    torch::NoGradGuard no_grad;
    for (size_t i = 0; i < kept_.size(); ++i) parameters_[i].copy_(kept_[i]);
  }

 private:
  std::vector<torch::Tensor> parameters_;  // shared with the module
  std::vector<torch::Tensor> kept_;
  double best_ = 0;
  int64_t since_ = 0;
};

inline int64_t ParameterCount(const torch::nn::Module& module) {
  int64_t count = 0;
  for (const torch::Tensor& parameter : module.parameters()) count += parameter.numel();
  return count;
}

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_PAPER_EXPERIMENTS_BEST_EPOCH_H_
