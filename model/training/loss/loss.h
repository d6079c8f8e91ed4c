#ifndef AAREN_MODEL_TRAINING_LOSS_LOSS_H_
#define AAREN_MODEL_TRAINING_LOSS_LOSS_H_

// What is minimised: twice the pinball loss on the normalised scale, its mean over levels, steps ahead, tokens and
// crops. Targets are clipped at +-12 deviations; missing ones do not count, nor do tokens that nothing gives a scale:
// after zeros alone, or after more than a few equal values.

#include <torch/types.h>

#include "model/nn/forecaster/forecaster.h"
#include "model/training/batch.h"

namespace aaren::training {

struct BatchLoss {
  torch::Tensor loss;  // scalar; 0 if nothing counts
  int64_t tokens = 0;  // computed, B * K
};

// Runs the module, on the device where it is, over the batch, which is on the CPU. Differentiable.
BatchLoss ComputeLoss(nn::Forecaster& forecaster, const Batch& batch);

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_LOSS_LOSS_H_
