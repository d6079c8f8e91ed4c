#ifndef AAREN_MODEL_TRAINING_LOSS_LOSS_H_
#define AAREN_MODEL_TRAINING_LOSS_LOSS_H_

// The loss that training minimises: twice the pinball loss on the normalised scale, as the mean over levels, steps
// ahead, tokens and crops. Targets are clipped at +-12 deviations. Missing targets do not count. Tokens without any
// scale do not count either: after zeros alone, or after more than a few equal values.

#include <torch/types.h>

#include "model/nn/forecaster/forecaster.h"
#include "model/training/batch.h"

namespace aaren::training {

struct BatchLoss {
  torch::Tensor loss;     // scalar; 0 if no target counts
  torch::Tensor targets;  // scalar: the number of targets that count
  int64_t tokens = 0;     // tokens computed, B * K
};

// Runs the module on its own device over the batch, which is on the CPU. Differentiable.
BatchLoss ComputeLoss(nn::Forecaster& forecaster, const Batch& batch);

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_LOSS_LOSS_H_
