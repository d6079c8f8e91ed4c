#ifndef AAREN_TESTS_MODEL_TRAINING_SMALL_RUN_H_
#define AAREN_TESTS_MODEL_TRAINING_SMALL_RUN_H_

// A training run small enough for a test: a few milliseconds per step.

#include "model/training/trainer.h"

namespace aaren::training {

inline package::ForecasterConfig SmallConfig() {
  package::ForecasterConfig config;
  config.ring = 16;
  config.width = 16;
  config.layers = 1;
  config.heads = 2;
  config.value_width = 16;
  config.embed_hidden = 16;
  config.mlp_hidden = 16;
  config.horizon = 4;
  config.fold_every = 4;
  config.quantiles = {0.1f, 0.5f, 0.9f};
  return config;
}

inline TrainOptions SmallRun() {
  TrainOptions options;
  options.config = SmallConfig();
  options.steps = 30;
  options.rows = 8;
  options.context = 64;
  options.validate_every = 10;
  options.validation_rows = 8;
  options.checkpoint_every = 5;
  return options;
}

}  // namespace aaren::training

#endif  // AAREN_TESTS_MODEL_TRAINING_SMALL_RUN_H_
