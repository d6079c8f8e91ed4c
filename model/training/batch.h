#ifndef AAREN_MODEL_TRAINING_BATCH_H_
#define AAREN_MODEL_TRAINING_BATCH_H_

// What one training step computes on: crops of series, and the tokens of them that fold.
//
// Crops are short and long by turns, in numbers that keep the tokens of a batch about equal: each starts a session, so
// young and old states are both trained. The gap between tokens is S, but with probability 0.3 uniform in 1 .. S:
// without that jitter the state knows multiples of S only, and a peek at any other offset is off.

#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "model/package/config.h"
#include "model/training/source.h"

namespace aaren::training {

struct Batch {
  torch::Tensor values;            // float64 [B, N + T], NaN where missing
  std::vector<int64_t> positions;  // ascending, in [0, N)
  int64_t first_target = 0;        // values before it are not scored
};

// The batch of training step `step`. Half, once, twice or four times `context` values; `rows` crops at `context`.
// Signs are flipped at random, and three in ten crops are a mixture of two.
Batch TrainingBatch(const package::ForecasterConfig& config, const SeriesSource& source, uint64_t seed, int64_t step,
                    int rows, int context);

// `rows` held-out crops of `context` values. Gaps are those of training, the same for every run: the engine forecasts
// at every value, most of which lie less than S after a fold.
Batch HeldOutBatch(const package::ForecasterConfig& config, const SeriesSource& source, int rows, int context);

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_BATCH_H_
