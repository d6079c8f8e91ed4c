#ifndef AAREN_TESTS_MODEL_ENGINE_HARD_SERIES_H_
#define AAREN_TESTS_MODEL_ENGINE_HARD_SERIES_H_

// Series that a network was not trained for. Made with integers and products only, so that every machine makes the same
// bits.

#include <cstddef>
#include <vector>

namespace aaren::engine {

// Each is an ordinary series with one kind of trouble all along it. These are values of 1e30 either way, glitches,
// values that are all but zero, jumps to another level and scale, outages (runs of missing values) and all of these
// together.
std::vector<std::vector<float>> HardSeries(size_t length);

// An ordinary series with everything that takes another path through the engine, for bits to be recorded of. It has a
// glitch, a run of them, a jump, outages (one longer than a ring of 192), gaps, tiny values, a constant stretch and the
// largest values. REQUIRES: length >= 700.
std::vector<float> EventfulSeries(size_t length);

}  // namespace aaren::engine

#endif  // AAREN_TESTS_MODEL_ENGINE_HARD_SERIES_H_
