#ifndef AAREN_TESTS_MODEL_SPECIFICATION_SERIES_SOURCES_H_
#define AAREN_TESTS_MODEL_SPECIFICATION_SERIES_SOURCES_H_

// Rules 6.16-6.24 of model/README.md: four naive forecasts of a series.

#include <array>

#include "tests/model/specification/series/lag_errors.h"
#include "tests/model/specification/series/series.h"

namespace aaren::specification {

// The standpoint of a naive forecast: a token and all places before, without the `far` newest.
struct Standpoint {
  int64_t token;
  int64_t far;
  int64_t every = 1;
};

// The value of a token if seasonal (6.16) and not after the standpoint; else missing.
float SeasonalValue(const Series& series, int64_t token, Standpoint from);

// The newest seasonal value among a token and the tokens lag, 2 lag, ... before (6.20), or missing.
float NewestSeasonal(const Series& series, int64_t token, int lag, Standpoint from);

// The mean of the seasonal values among four values, a lag apart, the newest at `token` (6.22), or missing.
float MeanOfFour(const Series& series, int64_t token, int lag, Standpoint from);

// The sources last, A1, AM and B1 of step j.
std::array<float, 4> Sources(const Series& series, Seasons seasons, int j, Standpoint from);

}  // namespace aaren::specification

#endif  // AAREN_TESTS_MODEL_SPECIFICATION_SERIES_SOURCES_H_
