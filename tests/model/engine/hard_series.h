#ifndef AAREN_TESTS_MODEL_ENGINE_HARD_SERIES_H_
#define AAREN_TESTS_MODEL_ENGINE_HARD_SERIES_H_

// Series unlike any in a network's training. Only integers and products make the series, so every machine makes the
// same bits.

#include <cstddef>
#include <vector>

namespace aaren::engine {

// Each series is an ordinary series with one kind of trouble throughout: values of 1e30 of either sign, glitches,
// values that are nearly zero, jumps to another level and scale, outages (runs of missing values), or all of these
// together.
std::vector<std::vector<float>> HardSeries(size_t length);

// An ordinary series with every event that takes another path through the engine, for recorded bits: a glitch, a run of
// glitches, a jump, outages (one longer than a ring of 192), gaps, tiny values, a constant stretch and the largest
// values. REQUIRES: length >= 700.
std::vector<float> EventfulSeries(size_t length);

}  // namespace aaren::engine

#endif  // AAREN_TESTS_MODEL_ENGINE_HARD_SERIES_H_
