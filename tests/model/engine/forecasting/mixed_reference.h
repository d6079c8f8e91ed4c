#ifndef AAREN_TESTS_MODEL_ENGINE_FORECASTING_MIXED_REFERENCE_H_
#define AAREN_TESTS_MODEL_ENGINE_FORECASTING_MIXED_REFERENCE_H_

// MixedReference is a second implementation of the mixture (model/README.md, step 6), in float64 and as plain as
// possible. The reference keeps every value, forecast and source, and goes through all of them again for each token.

#include <vector>

#include "model/package/config.h"

namespace aaren::engine {

class MixedReference {
 public:
  // unit: the unit of errors. REQUIRES: no error exceeds 12 units.
  MixedReference(const package::ForecasterConfig& config, double unit);

  // Takes the next value, the network's forecast from that value, [T, Q], and the sources, [4, T]. A probe also takes
  // the starting errors of each octave's new seasons, [., 3], NaN where a season stays. Returns the mixed forecast.
  std::vector<double> Take(float value, const float* forecast, const float* sources, const float* renewals);

 private:
  using Five = std::vector<double>;

  // The forecasts of the five experts at token t for the value h later.
  Five Said(size_t t, size_t h) const;
  Five Weights(size_t octave) const;

  const package::ForecasterConfig config_;
  const double unit_;
  size_t every_;
  std::vector<double> values_;
  std::vector<std::vector<double>> medians_, sources_;  // by token
  std::vector<std::vector<double>> renewals_;           // by probe
};

}  // namespace aaren::engine

#endif  // AAREN_TESTS_MODEL_ENGINE_FORECASTING_MIXED_REFERENCE_H_
