#ifndef AAREN_MODEL_ENGINE_FORECASTING_SEASON_HEAD_H_
#define AAREN_MODEL_ENGINE_FORECASTING_SEASON_HEAD_H_

// SeasonHead makes the skip of a forecast's median, for a network that sees the series' seasons (model/README.md, rules
// 10.8 to 10.14). The skip is a mixture of the linear skip and four naive forecasts, three of them corrected by their
// recent residuals. The weights of the mixture are a softmax at a few steps ahead, the knots, and linear in between.
// Threading: immutable.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/engine/network/packed_matrix.h"
#include "model/package/package.h"
#include "model/season/seasonal_input.h"
#include "model/season/sources.h"

namespace aaren::engine {

// For each step ahead: the numbers of the knots before and after, and the share of the knot after.
struct KnotsBeside {
  size_t count;
  const int32_t* before;
  const int32_t* after;
  const float* share;
};

// The parts of the mixture, for each step ahead.
struct MixedParts {
  const float* sources;  // [4, T]
  const std::array<const float*, season::kSeasonSources>& corrections;
  float* skip;  // contains the linear skip before and the mixture after
};

class SeasonHead {
 public:
  // REQUIRES: LoadPackage accepted the package, and the package sees seasons.
  explicit SeasonHead(const package::ModelPackage& package);

  // Maps a normalised token [d] to its logits, [knots, 5].
  const PackedMatrix& gate() const { return gate_; }
  // Maps the newest residuals of one source of seasons, [24], to the source's correction, [T].
  const PackedMatrix& correction(size_t source) const { return corrections_[source]; }

  // A step ahead's place between two knots.
  struct Place {
    size_t before, after;  // where the knots' weights begin
    float share;           // share of the knot after
  };
  size_t knots() const { return knots_; }
  const std::vector<Place>& places() const { return places_; }  // by step ahead - 1

  // Mixes on the token's scale. logits: [gate().width()]. sources: [4, T]. corrections: [T] for each source of seasons.
  // skip: [T], contains the linear skip before and the mixture after.
  void Mix(const float* logits, const float* sources,
           const std::array<const float*, season::kSeasonSources>& corrections, float* skip) const;

 private:
  PackedMatrix gate_;
  std::array<PackedMatrix, season::kSeasonSources> corrections_;
  size_t knots_;
  std::vector<Place> places_;
  std::vector<int32_t> before_, after_;  // by step ahead - 1: the knots' numbers
  std::vector<float> share_;
};

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_FORECASTING_SEASON_HEAD_H_
