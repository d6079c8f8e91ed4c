#ifndef AAREN_TESTS_MODEL_SPECIFICATION_SERIES_COVARIATES_H_
#define AAREN_TESTS_MODEL_SPECIFICATION_SERIES_COVARIATES_H_

// Section 16 of model/README.md: the effects of covariates.

#include <cstdint>
#include <vector>

#include "tests/model/specification/arithmetic.h"

namespace aaren::specification {

struct Covariates {
  Covariates(int past, int future, int D);

  double Take(int64_t t, const Vector& now);  // 16.1, 16.2: e

  // A judged horizon of a probe: 16.5.
  struct Sample {
    int h;
    float y, kept;
  };
  void Learn(int64_t t, float unit, const std::vector<Sample>& samples);  // 16.3-16.8

  // 16.9. ahead: the covariates given for the step, [future].
  float Effect(int64_t t, int64_t j, const Vector& ahead) const;

  float Z(int64_t token, int i) const { return z[token % (D + 1)][i]; }

  int past, K, D;
  std::vector<std::vector<double>> S;  // [K, up to i]
  std::vector<double> b, m, effect;
  double W = 0, R = 0;
  std::vector<Vector> z;  // [D + 1, K]

 private:
  void AddSample(int64_t t, float unit, const Sample& sample);
  void Solve();
};

}  // namespace aaren::specification

#endif  // AAREN_TESTS_MODEL_SPECIFICATION_SERIES_COVARIATES_H_
