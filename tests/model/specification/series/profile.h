#ifndef AAREN_TESTS_MODEL_SPECIFICATION_SERIES_PROFILE_H_
#define AAREN_TESTS_MODEL_SPECIFICATION_SERIES_PROFILE_H_

// Rules 17.1, 17.2 and 17.5 of model/README.md: the average course of a season.

#include <cstdint>

#include "tests/model/specification/arithmetic.h"

namespace aaren::specification {

struct Profile {
  void Choose(int A);             // 17.2
  void Begin(int64_t t);          // 17.3, without the tokens that follow
  void Take(int64_t t, float y);  // 17.5

  float Of(int64_t t) const { return P[t % Z]; }

  uint16_t Z = 0, candidate = 0, run = 0, behind = 0;
  uint32_t n = 0;
  float l = 0;
  Vector P = Vector(336);
  std::vector<uint8_t> c = std::vector<uint8_t>(336);
};

}  // namespace aaren::specification

#endif  // AAREN_TESTS_MODEL_SPECIFICATION_SERIES_PROFILE_H_
