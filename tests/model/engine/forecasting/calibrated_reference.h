#ifndef AAREN_TESTS_MODEL_ENGINE_FORECASTING_CALIBRATED_REFERENCE_H_
#define AAREN_TESTS_MODEL_ENGINE_FORECASTING_CALIBRATED_REFERENCE_H_

// CalibratedReference is a second implementation of step 7 of model/README.md, in float64 and as plain as possible. The
// reference keeps every value and every forecast, and looks back at all of them.

#include <map>
#include <vector>

#include "model/package/config.h"

namespace aaren::engine {

class CalibratedReference {
 public:
  explicit CalibratedReference(const package::ForecasterConfig& config);

  // Takes the next value and the network's forecast from that value, [T, Q]. Returns the corrected forecast.
  std::vector<double> Take(float value, const float* forecast);

 private:
  void Judge(size_t horizon);
  double Theta(size_t horizon, size_t quantile) const;

  const package::ForecasterConfig config_;
  size_t every_;
  std::map<size_t, std::vector<double>> theta_;  // by tracked horizon
  std::vector<double> values_;
  std::vector<std::vector<double>> made_;
};

}  // namespace aaren::engine

#endif  // AAREN_TESTS_MODEL_ENGINE_FORECASTING_CALIBRATED_REFERENCE_H_
