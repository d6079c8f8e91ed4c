#ifndef AAREN_MODEL_PACKAGE_CONFIG_H_
#define AAREN_MODEL_PACKAGE_CONFIG_H_

// ForecasterConfig is the shape of a streaming forecaster: every size from which the shapes of weights and rows follow
// (model/README.md, "The streaming forecaster, exactly"). ForecasterConfig is a plain value, stored in model.json.

#include <cstdint>
#include <vector>

#include "absl/status/status.h"

namespace aaren::package {

struct ForecasterConfig {
  int ring = 192;          // P: values of the series that a token sees directly
  int width = 96;          // d
  int layers = 3;          // L
  int heads = 8;           // H: the first half is plain, the second half has rotary values
  int value_width = 128;   // V: all heads together; divisible by 2 * heads
  int embed_hidden = 192;  // hidden width of the embedding's gated MLP
  int mlp_hidden = 192;    // hidden width of each block's gated MLP
  int horizon = 48;        // T: steps ahead
  int fold_every = 16;     // S: a token folds where (seq + 1) mod S == 0
  int history = 1024;      // n of the running normaliser stops growing here
  std::vector<float> quantiles = {0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f, 0.7f, 0.8f, 0.9f};  // odd count, middle = 0.5
  bool seasons = false;  // true if the network sees the series' seasons (model/README.md, "Seasonal inputs")

  static constexpr int kSummaries = 6;           // numbers beside the ring in a token's input
  static constexpr int kSeasonalNumbers = 17;    // numbers of the seasons in a token's input, if `seasons`
  static constexpr int kSeasonalParts = 5;       // parts of the median's mixture: the skip and four sources
  static constexpr int kSeasonalResiduals = 24;  // residuals that correct a source of seasons
  int input_width() const { return ring + kSummaries + (seasons ? kSeasonalNumbers : 0); }
  int head_width() const { return value_width / heads; }
  int quantile_count() const { return static_cast<int>(quantiles.size()); }

  // The knots: the steps ahead at which the mixture of the median's parts is chosen, ascending up to T. Between knots
  // the mixture is linear. For a horizon of 48 the knots are 1, 2, 4, 8, 16, 24, 36 and 48. Other horizons have the
  // same shares of their length, without duplicates.
  std::vector<int> season_knots() const;

  // InvalidArgument, naming the field and its value, if a size is out of range or two sizes do not fit together.
  absl::Status Validate() const;

  bool operator==(const ForecasterConfig&) const = default;
};

}  // namespace aaren::package

#endif  // AAREN_MODEL_PACKAGE_CONFIG_H_
