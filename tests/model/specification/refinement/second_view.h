#ifndef AAREN_TESTS_MODEL_SPECIFICATION_REFINEMENT_SECOND_VIEW_H_
#define AAREN_TESTS_MODEL_SPECIFICATION_REFINEMENT_SECOND_VIEW_H_

// Rules 17.8-17.12 and 17.18 of model/README.md: how far a forecast moves to another view.

#include <cstdint>
#include <vector>

#include "tests/model/specification/arithmetic.h"
#include "tests/model/specification/sizes.h"

namespace aaren::specification {

class SecondView {
 public:
  // The prior of 17.11, and the memory of 17.8.
  struct Prior {
    double share, judgements, memory;
  };

  // horizons: ascending.
  SecondView(const Sizes& sizes, const std::vector<int>& horizons, Prior prior);

  // 17.8-17.10: what came, and the probe's own medians, each by horizon.
  void Judge(int64_t p, float unit, const Vector& y, const Vector& mixed, const Vector& view);

  double Weight(int64_t t, int j) const;  // 17.11
  static float Way(double weight, float unit, float view, float median);
  void Move(int64_t t, int j, float unit, float view, float* q) const;  // 17.12

  void Shift(double distance);  // 17.14

  struct Octave {
    float S = 0, g = 0, N = 0, V = 0, B = 0, m = 0;
  };
  std::vector<Octave> octaves;
  std::vector<Vector> v, b;  // [horizons, places]
  Vector units;              // [places]
  float next = kMissing;     // 17.13

 private:
  size_t OctaveOf(int j) const;

  const std::vector<int> horizons_;
  const Prior prior_;
  const int D_, Q_, M_;
};

}  // namespace aaren::specification

#endif  // AAREN_TESTS_MODEL_SPECIFICATION_REFINEMENT_SECOND_VIEW_H_
