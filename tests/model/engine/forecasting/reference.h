#ifndef AAREN_TESTS_MODEL_ENGINE_FORECASTING_REFERENCE_H_
#define AAREN_TESTS_MODEL_ENGINE_FORECASTING_REFERENCE_H_

// Reference is the streaming forecaster written a second time, straight from model/README.md in float64 and the
// standard library's functions, as plainly as possible. It keeps the raw values and, for each token that folded, its
// score and value in every layer. The attention is a softmax over all of them, not a recurrence, and the ring is a
// slice of the history.

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "model/package/package.h"

namespace aaren::engine {

class Reference {
 public:
  explicit Reference(const package::ModelPackage& package);

  struct Forecast {
    std::vector<double> quantiles;  // [T, Q], in the units of the series; not clamped
    double scale;                   // of step 2
  };

  // Takes the next value (NaN where missing) and forecasts from it. REQUIRES: finite or NaN.
  Forecast Take(float value);

 private:
  using Vector = std::vector<double>;

  // The running statistics.
  struct Running {
    double n = 0, mean = 0, variance = 0;
    double reach() const { return n >= 32 && variance > 0 ? 32 * std::sqrt(variance) : INFINITY; }
  };

  struct Folded {
    size_t position;
    Vector scores;  // [H]
    Vector values;  // [V]
  };

  const std::vector<float>& Data(const std::string& name) const { return package_.tensors.at(name).data; }
  Vector Linear(const std::string& name, const Vector& x) const;
  Vector GatedMlp(const std::string& name, const Vector& x) const;
  Vector Norm(const std::string& name, const Vector& x) const;
  Vector Input(double* center, double* scale) const;
  Vector Attention(int layer, const Vector& x, Folded* folded) const;
  Vector Attend(const std::string& name, const std::vector<Folded>& tokens) const;
  void Turn(const std::string& name, size_t elapsed, Vector& values) const;

  const package::ModelPackage& package_;
  const package::ForecasterConfig& config_;
  Running RunningOf(size_t tokens) const;
  void RememberBlock();

  Vector history_;
  Vector remembered_;                        // likewise, but what is of a full block of 48 on that block's grid
  std::vector<std::vector<Folded>> folded_;  // of each layer
};

}  // namespace aaren::engine

#endif  // AAREN_TESTS_MODEL_ENGINE_FORECASTING_REFERENCE_H_
