#ifndef AAREN_MODEL_TRAINING_OPTIMIZER_H_
#define AAREN_MODEL_TRAINING_OPTIMIZER_H_

// Muon for the matrices that multiply the blocks' tokens, and AdamW for all other parameters. Muon replaces a matrix's
// momentum by the nearest orthogonal matrix, found by five Newton-Schulz steps, so every direction learns at the same
// pace (Jordan et al. 2024).
//
// Threading: one thread.

#include <torch/nn/module.h>
#include <torch/types.h>

#include <map>
#include <string>
#include <vector>

namespace aaren::training {

struct OptimizerOptions {
  double rate = 4e-3;       // for AdamW
  double muon_rate = 0.02;  // for Muon
  double weight_decay = 0.01;
  double clip = 1;  // largest norm of all gradients together; longer gradients are shortened
};

class Optimizer {
 public:
  // Parameters below "blocks." and "input_mlp." with two dimensions take Muon, except for the parameters of the folded
  // query. The optimiser shares the module's parameters and does not copy them.
  Optimizer(const torch::nn::Module& module, const OptimizerOptions& options);

  // Makes one update from the parameters' gradients, then clears the gradients. Both rates are multiplied by `factor`.
  void Step(double factor);

  // The memory of the optimiser, by name. Assigning to the tensors' contents restores the memory.
  std::map<std::string, torch::Tensor> State() const;
  int64_t steps() const { return steps_; }
  void set_steps(int64_t steps) { steps_ = steps; }

 private:
  struct Slot {
    std::string name;
    torch::Tensor parameter;
    bool muon;
    torch::Tensor first;   // momentum
    torch::Tensor second;  // mean square; AdamW only
  };
  void Clip() const;
  void StepMuon(Slot& slot, double rate) const;
  void StepAdam(Slot& slot, double rate) const;

  const OptimizerOptions options_;
  std::vector<Slot> slots_;
  int64_t steps_ = 0;
};

// Warm-up over 50 steps (or a tenth of a short run), then half a cosine from 1 to 0. `step` counts from 0.
double RateFactor(int64_t step, int64_t steps);

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_OPTIMIZER_H_
