#ifndef AAREN_TESTS_MODEL_SPECIFICATION_REFINEMENT_SECOND_VIEW_H_
#define AAREN_TESTS_MODEL_SPECIFICATION_REFINEMENT_SECOND_VIEW_H_

// Rules 17.8-17.12 of model/README.md: how far a forecast moves to the second view.

#include <cstdint>
#include <vector>

#include "tests/model/specification/arithmetic.h"
#include "tests/model/specification/series/series.h"
#include "tests/model/specification/sizes.h"

namespace aaren::specification {

class SecondView {
 public:
  explicit SecondView(const Sizes& sizes);  // not owned

  // 17.8-17.10, without the probe's own move. mixed: [T, Q]; view: [T], or empty where missing.
  void Judge(int64_t p, const Series& series, float unit, const Vector& mixed, const Vector& view);

  void Move(int64_t t, int j, float unit, float view, float* q) const;  // 17.11, 17.12

  void Shift(double distance);  // 17.14

  struct Octave {
    float S = 0, g = 0, N = 0, V = 0, B = 0, m = 0;
  };
  std::vector<Octave> octaves;
  std::vector<Vector> v, b;  // [judged horizons, places]
  Vector units;              // [places]
  float next = kMissing;     // 17.13

 private:
  double Weight(int64_t t, const Octave& octave) const;

  const Sizes& sizes_;
};

}  // namespace aaren::specification

#endif  // AAREN_TESTS_MODEL_SPECIFICATION_REFINEMENT_SECOND_VIEW_H_
