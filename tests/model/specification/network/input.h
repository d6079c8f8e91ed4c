#ifndef AAREN_TESTS_MODEL_SPECIFICATION_NETWORK_INPUT_H_
#define AAREN_TESTS_MODEL_SPECIFICATION_NETWORK_INPUT_H_

// Section 2 of model/README.md: the network's input for a token, without the seasonal numbers.

#include "tests/model/specification/arithmetic.h"
#include "tests/model/specification/series/series.h"

namespace aaren::specification {

struct Input {
  Input(const Series& series, Thinning thinning, int P);

  double mu, scale;  // 2.5, 2.10
  Vector u;          // P + 6
  int gap;           // 5.9
};

}  // namespace aaren::specification

#endif  // AAREN_TESTS_MODEL_SPECIFICATION_NETWORK_INPUT_H_
