#ifndef AAREN_TESTS_MODEL_SPECIFICATION_REFINEMENT_FAR_H_
#define AAREN_TESTS_MODEL_SPECIFICATION_REFINEMENT_FAR_H_

// Section 15 of model/README.md: steps beyond the model's horizon.

#include <array>
#include <optional>
#include <vector>

#include "tests/model/specification/arithmetic.h"
#include "tests/model/specification/refinement/mixture.h"
#include "tests/model/specification/refinement/second_view.h"
#include "tests/model/specification/series/series.h"
#include "tests/model/specification/sizes.h"

namespace aaren::specification {

using Words = std::array<float, 5>;  // 15.2

// The near forecast: [T, Q], and its sources of each step.
struct NearForecast {
  const Vector& q;
  const std::vector<std::array<float, 4>>& sources;
  const std::array<float, 5>& errors;  // E of the octave of step T
  float unit;
  float mean;
  Vector half = {};  // 17.17, [1024]; empty: no view
};

class Far {
 public:
  Far(const Sizes& sizes, bool half);  // not owned. `half`: of rows with a profile

  // 15.4, by what probe p sees; then the probe's seasons and mean replace older ones.
  void Choose(int64_t p, const Series& series, Seasons now);

  void Judge(int64_t p, const NearForecast& near);  // 15.5-15.8

  // 15.9-15.14: the quantiles of step j > T of a forecast of token t, without 7.7.
  Vector Quantiles(int64_t t, const NearForecast& near, int j, const std::array<float, 4>& sources) const;

  void Shift(double distance);  // 1.42

  std::optional<SecondView> half;  // 17.18

  struct Knot {
    int h, k;
    std::array<float, 6> F;
    Vector O, medians;
  };
  std::vector<Knot> knots;  // from knot 1 on
  Vector means;             // 15.3
  std::vector<Seasons> choices;

 private:
  struct Seen {
    std::vector<float> y;
    std::vector<Words> words;
    float at_knot;
    Words now;
  };
  std::vector<Words> Weights(int64_t t, const NearForecast& near) const;
  double Moved(int64_t t, const NearForecast& near, int j, double median) const;  // 17.19
  double Median(const std::vector<Words>& weights, const NearForecast& near, int j, const Words& words) const;
  float Offset(const NearForecast& near, int j, int i) const;
  void JudgeWords(int64_t n, const Seen& seen, float unit, Knot& knot) const;
  void JudgeQuantiles(int64_t p, int64_t n, const Seen& seen, const NearForecast& near, Knot& knot) const;

  const Sizes& sizes_;
  std::vector<Seen> seen_;
};

}  // namespace aaren::specification

#endif  // AAREN_TESTS_MODEL_SPECIFICATION_REFINEMENT_FAR_H_
