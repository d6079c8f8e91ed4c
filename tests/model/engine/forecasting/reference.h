#ifndef AAREN_TESTS_MODEL_ENGINE_FORECASTING_REFERENCE_H_
#define AAREN_TESTS_MODEL_ENGINE_FORECASTING_REFERENCE_H_

// Reference is a second implementation of the streaming forecaster, written from model/README.md in float64 with the
// standard library's functions, as plain as possible. The reference keeps the raw values and, for each token that
// folded, the score and value in every layer. The attention is a softmax over all tokens, not a recurrence. The ring is
// a slice of the history.
//
// A softmax over a million tokens takes too long. The attention is then kept as sums in long double, of values turned
// and weighed relative to the first token instead of the present. Neither form is the engine's recurrence.

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
    std::vector<double> quantiles;  // [T, Q], in the units of the series; not clamped. Before the first value NaN
    double scale;                   // scale of step 2
  };

  // Takes the next value (NaN where missing) and forecasts from the value. REQUIRES: the value is finite or NaN.
  Forecast Take(float value);

  // Takes the next value without a forecast.
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

  // The sums of one head, relative to the first token.
  struct Sums {
    long double peak = -INFINITY, total = 0;  // sum of weights, the largest of which is exp(peak)
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
  void Widen(Vector& quantiles) const;

  void MoveOrigin();

  double origin_ = 0;  // all values below count from the origin
  Vector history_;
  Vector remembered_;  // values; full blocks of 48 lie on their blocks' grids
  Running running_;
  std::vector<std::vector<Folded>> folded_;  // by layer
  std::vector<std::vector<Sums>> sums_;      // by layer and head
};

}  // namespace aaren::engine

#endif  // AAREN_TESTS_MODEL_ENGINE_FORECASTING_REFERENCE_H_
