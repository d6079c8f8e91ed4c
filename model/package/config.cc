#include "model/package/config.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace aaren::package {
namespace {

constexpr float kMiddle = 0.5f;                         // level of the median
constexpr int kKnots[] = {1, 2, 4, 8, 16, 24, 36, 48};  // for a horizon of kKnotsOf
constexpr int kKnotsOf = 48;

struct Bound {
  absl::string_view field;
  int value;
  int least;
  int most;
};

absl::Status CheckBounds(const ForecasterConfig& c) {
  // The bounds are generous, and small enough that no product of two sizes overflows an int.
  const Bound bounds[] = {
      {"ring", c.ring, 2, 1440},
      {"width", c.width, 1, 4096},
      {"layers", c.layers, 1, 64},
      {"heads", c.heads, 1, 256},
      {"value_width", c.value_width, 2, 4096},
      {"embed_hidden", c.embed_hidden, 1, 16384},
      {"mlp_hidden", c.mlp_hidden, 1, 16384},
      {"horizon", c.horizon, 1, 4096},
      {"fold_every", c.fold_every, 1, 4096},
      // With a history of 1 the running variance could round below zero.
      {"history", c.history, 2, 1 << 20},
  };
  for (const Bound& bound : bounds) {
    if (bound.value < bound.least || bound.value > bound.most) {
      return absl::InvalidArgumentError(
          absl::StrCat(bound.field, " is ", bound.value, ", not in [", bound.least, ", ", bound.most, "]"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckQuantiles(const std::vector<float>& quantiles) {
  const size_t count = quantiles.size();
  // A surprise needs the gap between the two outermost quantiles on either side, hence at least three levels.
  if (count < 3 || count > 99 || count % 2 == 0) {
    return absl::InvalidArgumentError(absl::StrCat("quantiles has ", count, " levels, not an odd number in [3, 99]"));
  }
  for (size_t i = 0; i < count; ++i) {
    // The negated comparison refuses NaN, too.
    const float below = i == 0 ? 0.0f : quantiles[i - 1];
    if (!(quantiles[i] > below && quantiles[i] < 1.0f)) {
      return absl::InvalidArgumentError(
          absl::StrCat("quantiles[", i, "] is ", quantiles[i], ", not above ", below, " and below 1"));
    }
  }
  // Read-out, mixture and calibration all count outwards from the middle level (rules 5.4, 6.47 and 7.7).
  if (quantiles[count / 2] != kMiddle) {
    return absl::InvalidArgumentError(
        absl::StrCat("quantiles[", count / 2, "], the middle one, is ", quantiles[count / 2], ", not 0.5"));
  }
  return absl::OkStatus();
}

}  // namespace

std::vector<int> ForecasterConfig::season_knots() const {
  std::vector<int> knots;
  for (int share : kKnots) {
    const int knot = std::max(1, (share * horizon + kKnotsOf / 2) / kKnotsOf);  // rounded, halves upwards
    if (knots.empty() || knot > knots.back()) knots.push_back(knot);
  }
  return knots;
}

absl::Status ForecasterConfig::Validate() const {
  // Bounds come first, because the division below needs at least one head.
  if (absl::Status status = CheckBounds(*this); !status.ok()) return status;
  // The values of a head are turned in pairs, so every head has an even number of values.
  if (value_width % (2 * heads) != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("value_width is ", value_width, ", not divisible by twice heads, which is ", heads));
  }
  return CheckQuantiles(quantiles);
}

}  // namespace aaren::package
