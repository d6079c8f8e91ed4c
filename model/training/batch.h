#ifndef AAREN_MODEL_TRAINING_BATCH_H_
#define AAREN_MODEL_TRAINING_BATCH_H_

// The data of one training step: crops of series, and the positions of the tokens that fold.
//
// Some steps have short crops and some long ones, in numbers that keep the tokens of a batch about equal. Each crop
// starts a session, so young and old states are both trained. The gap between tokens is S, and with probability 0.3
// uniform in 1 .. S. Without such jitter the state would know multiples of S only, and a peek at any other offset would
// be off.

#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "model/package/config.h"
#include "model/training/source.h"

namespace aaren::training {

struct Batch {
  torch::Tensor values;            // float64 [B, N + T], NaN where missing
  std::vector<int64_t> positions;  // ascending, in [0, N)
  torch::Tensor first_targets;     // int64 [B, 1, 1]: the first value of each row that is scored; undefined: all are

  // Rows first, first + stride, ... of this batch.
  Batch EveryRow(int64_t first, int64_t stride) const;

  // bool [B or 1, *]: whether values number `ahead`, int64 [*], are scored.
  torch::Tensor Scored(const torch::Tensor& ahead) const;
};

// The batch of training step `step`, drawn with the source's seed. Crops have half, once, twice or four times `context`
// values; a batch has `rows` crops at `context`. A quarter of the crops have the opposite sign, and 15 % are mixtures
// of two crops.
Batch TrainingBatch(const package::ForecasterConfig& config, const SeriesSource& source, int64_t step, int rows,
                    int context);

// `rows` held-out crops of `context` values, or every crop of the source where there are fewer. Gaps are drawn as in
// training, equal for every run, because the engine forecasts at every value, and most values lie less than S after a
// fold.
Batch HeldOutBatch(const package::ForecasterConfig& config, const SeriesSource& source, int rows, int context);

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_BATCH_H_
