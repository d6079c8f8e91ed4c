#ifndef AAREN_TESTS_MODEL_ENGINE_EVENTS_RANDOM_EVENTS_H_
#define AAREN_TESTS_MODEL_ENGINE_EVENTS_RANDOM_EVENTS_H_

// Weights and streams of events made by integers, products and quotients only: the same on every machine.

#include <cstdint>
#include <vector>

#include "model/engine/events/event_engine.h"

namespace aaren::events {

EventPackage RandomEventPackage(uint64_t seed);

// Events with ties, years of silence, gaps of a nanosecond, bursts, and marks that come, return and are replaced.
std::vector<Event> HardEvents(uint64_t seed, size_t count);

}  // namespace aaren::events

#endif  // AAREN_TESTS_MODEL_ENGINE_EVENTS_RANDOM_EVENTS_H_
