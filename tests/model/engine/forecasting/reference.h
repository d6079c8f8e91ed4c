#ifndef AAREN_TESTS_MODEL_ENGINE_FORECASTING_REFERENCE_H_
#define AAREN_TESTS_MODEL_ENGINE_FORECASTING_REFERENCE_H_

// Reference is the streaming forecaster written a second time, straight from model/README.md in float64 and the
// standard library's functions, as plainly as possible. It keeps the raw values and, for each token that folded, its
// score and value in every layer. The attention is a softmax over all of them, not a recurrence, and the ring is a
// slice of the history.
//
// Of a million tokens a softmax over all takes too long. Then it is kept as sums in long double, of values turned and
// weighed as of the first token instead of now: no more the engine's recurrence than the other.

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "model/package/package.h"

namespace aaren::engine {

class Reference {
 public:
  enum class Past { kEachToken, kSums };

  explicit Reference(const package::ModelPackage& package, Past past = Past::kEachToken);

  struct Forecast {
    std::vector<double> quantiles;  // [T, Q], in the units of the series; not clamped
    double scale;                   // of step 2
  };

  // Takes the next value (NaN where missing) and forecasts from it. REQUIRES: finite or NaN.
  Forecast Take(float value);

  // Takes the next value, and makes no forecast.
  void See(float value);

 private:
  using Vector = std::vector<double>;

  // The running statistics.
  struct Running {
    double n = 0, mean = 0, variance = 0, far = 0;
    double reach() const { return n >= 32 && variance > 0 ? 32 * std::sqrt(variance) : INFINITY; }
  };

  struct Folded {
    size_t position;
    Vector scores;  // [H]
    Vector values;  // [V]
  };

  // Of one head, as of the first token.
  struct Sums {
    long double peak = -INFINITY, total = 0;  // of weights, the largest of which is exp(peak)
    std::vector<long double> values;
  };

  void Remember(float value);
  bool Folds() const { return history_.size() % static_cast<size_t>(config_.fold_every) == 0; }
  Vector Layers(const Vector& u);
  void AddToSums(int layer, const Folded& folded);
  Vector AttendSums(int layer, const Folded& token) const;
  const std::vector<float>& Data(const std::string& name) const { return package_.tensors.at(name).data; }
  Vector Linear(const std::string& name, const Vector& x) const;
  Vector GatedMlp(const std::string& name, const Vector& x) const;
  Vector Norm(const std::string& name, const Vector& x) const;
  Vector Input(double* center, double* scale) const;
  Vector Attention(int layer, const Vector& x, Folded* folded) const;
  Vector Attend(const std::string& name, const std::vector<Folded>& tokens) const;
  void Turn(const std::string& name, size_t elapsed, Vector& values, bool back = false) const;

  const package::ModelPackage& package_;
  const package::ForecasterConfig& config_;
  const Past past_;
  void Run(double value);
  void RememberBlock();

  Vector history_;
  Vector remembered_;  // likewise, but what is of a full block of 48 on that block's grid
  Running running_;
  std::vector<std::vector<Folded>> folded_;  // of each layer
  std::vector<std::vector<Sums>> sums_;      // of each layer and head
};

}  // namespace aaren::engine

#endif  // AAREN_TESTS_MODEL_ENGINE_FORECASTING_REFERENCE_H_
