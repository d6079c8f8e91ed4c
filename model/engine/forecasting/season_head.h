#ifndef AAREN_MODEL_ENGINE_FORECASTING_SEASON_HEAD_H_
#define AAREN_MODEL_ENGINE_FORECASTING_SEASON_HEAD_H_

// SeasonHead makes the part of a forecast's median that is no read-out, of a network that sees the series' seasons
// (model/README.md, rules 10.8 to 10.14). It is a mixture of the linear skip and four naive forecasts, three of them
// corrected by how they did lately. Its weights are a softmax at a few steps ahead, the knots, and linear between.
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

// Of each step ahead: the numbers of the knots beside it, and the share of the one after.
struct KnotsBeside {
  size_t count;
  const int32_t* before;
  const int32_t* after;
  const float* share;
};

// What is mixed, of each step ahead.
struct MixedParts {
  const float* sources;  // [4, T]
  const std::array<const float*, season::kSeasonSources>& corrections;
  float* skip;  // in the linear skip and out the mixture
};

class SeasonHead {
 public:
  // REQUIRES: the package is one that LoadPackage accepted, and sees seasons.
  explicit SeasonHead(const package::ModelPackage& package);

  // From a normalised token [d] to its logits, [knots, 5].
  const PackedMatrix& gate() const { return gate_; }
  // From the newest residuals of one source of seasons, [24], to what corrects it, [T].
  const PackedMatrix& correction(size_t source) const { return corrections_[source]; }

  // Where a step ahead lies between knots.
  struct Place {
    size_t before, after;  // where their knots' weights begin
    float share;           // of the one after
  };
  size_t knots() const { return knots_; }
  const std::vector<Place>& places() const { return places_; }  // by step ahead - 1

  // All on the token's scale. logits: [gate().width()]. sources: [4, T]. corrections: of each source of seasons [T].
  // skip: [T], in the linear skip and out the mixture.
  void Mix(const float* logits, const float* sources,
           const std::array<const float*, season::kSeasonSources>& corrections, float* skip) const;

 private:
  PackedMatrix gate_;
  std::array<PackedMatrix, season::kSeasonSources> corrections_;
  size_t knots_;
  std::vector<Place> places_;
  std::vector<int32_t> before_, after_;  // by step ahead - 1: the numbers of their knots
  std::vector<float> share_;
};

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_FORECASTING_SEASON_HEAD_H_
