#ifndef AAREN_TESTS_MODEL_SPECIFICATION_REFINEMENT_CALIBRATION_H_
#define AAREN_TESTS_MODEL_SPECIFICATION_REFINEMENT_CALIBRATION_H_

// Section 7 of model/README.md: quantiles corrected by how often values lay above.

#include <vector>

#include "tests/model/specification/arithmetic.h"
#include "tests/model/specification/series/series.h"
#include "tests/model/specification/sizes.h"

namespace aaren::specification {

class Calibration {
 public:
  explicit Calibration(const Sizes& sizes);  // not owned

  void Correct(int j, float* q) const;  // 7.3-7.7: step j, [Q]

  // 7.8-7.15: the work of probe p, with its mixed forecast, [T, Q], where a value is in every k-th token.
  void Judge(int64_t p, int64_t k, const Series& series, const Vector& mixed);

  void Shift(double distance);  // 1.42

  std::vector<Vector> theta;              // [K, Q]
  std::vector<std::vector<Vector>> kept;  // [K, places, Q]

 private:
  void Move(int64_t p, float y, const Vector& forecast, Vector& moved) const;  // 7.10-7.14

  const Sizes& sizes_;
};

}  // namespace aaren::specification

#endif  // AAREN_TESTS_MODEL_SPECIFICATION_REFINEMENT_CALIBRATION_H_
