#ifndef AAREN_MODEL_NN_FORECASTER_ENCODE_H_
#define AAREN_MODEL_NN_FORECASTER_ENCODE_H_

// Turns a crop of values into the forecaster's inputs, for chosen tokens of the crop (model/README.md, steps 1 and 2,
// and "Seasonal inputs"). The crop is the start of a session: nothing is known before the first value.

#include <torch/types.h>

#include <vector>

#include "model/package/config.h"

namespace aaren::nn {

struct Encoding {
  torch::Tensor features;   // [B, K, U], of the requested dtype
  torch::Tensor sources;    // [B, K, 4, T], of the same dtype; like residuals, only with config.seasons
  torch::Tensor residuals;  // [B, K, 3, 24], newest first, 0 where missing
  torch::Tensor center;     // float64 [B, K]: origin + mu
  torch::Tensor scale;      // float64 [B, K], > 0
  torch::Tensor spread;     // float64 [B, K]: square of the scale without its floor; 0 if undetermined
  torch::Tensor gap;        // int64 [B, K]: values missing after the newest present (rule 5.9)
};

// values: float64 [B, N], NaN where missing. positions: K ascending indices into N. dtype: the type of features,
// sources and residuals.
Encoding Encode(const package::ForecasterConfig& config, const torch::Tensor& values,
                const std::vector<int64_t>& positions, torch::ScalarType dtype);

}  // namespace aaren::nn

#endif  // AAREN_MODEL_NN_FORECASTER_ENCODE_H_
