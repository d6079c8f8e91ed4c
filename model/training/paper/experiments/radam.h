#ifndef AAREN_MODEL_TRAINING_PAPER_EXPERIMENTS_RADAM_H_
#define AAREN_MODEL_TRAINING_PAPER_EXPERIMENTS_RADAM_H_

// RAdam, which LibTorch does not have in C++: Adam whose steps are rectified while the mean square of the gradients is
// young (Liu et al., "On the variance of the adaptive learning rate and beyond", 2020). Betas 0.9 and 0.999, epsilon
// 1e-8, no weight decay, as torch.optim.RAdam in Python.

#include <torch/types.h>

#include <cstdint>
#include <vector>

namespace aaren::training {

class RAdam {
 public:
  // Shares the parameters.
  RAdam(std::vector<torch::Tensor> parameters, double rate);

  void set_rate(double rate) { rate_ = rate; }

  // One update of each parameter that has a gradient; then clears the gradients.
  void Step();

 private:
  struct Slot {
    torch::Tensor parameter, first, second;  // and running means of the gradient and of its square
  };

  std::vector<Slot> slots_;
  double rate_;
  int64_t steps_ = 0;
};

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_PAPER_EXPERIMENTS_RADAM_H_
