#ifndef AAREN_TESTS_MODEL_SPECIFICATION_NETWORK_SEASON_SKIP_H_
#define AAREN_TESTS_MODEL_SPECIFICATION_NETWORK_SEASON_SKIP_H_

// Rules 10.8-10.14 of model/README.md: the skip of a model with seasonal inputs.

#include "tests/model/specification/network/network.h"
#include "tests/model/specification/network/seasonal_input.h"

namespace aaren::specification {

// [T], for the skip by 5.3 and y by 5.1.
Vector SeasonSkip(const Network& network, const Vector& skip, const Vector& y, const SeasonalInput& input);

}  // namespace aaren::specification

#endif  // AAREN_TESTS_MODEL_SPECIFICATION_NETWORK_SEASON_SKIP_H_
