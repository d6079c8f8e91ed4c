#ifndef AAREN_MODEL_ENGINE_EVENTS_EVENT_TOKEN_H_
#define AAREN_MODEL_ENGINE_EVENTS_EVENT_TOKEN_H_

// An event and its forecast as the floats of a run (model/engine/engine.h). The floats are places for bits: the time is
// an int64 in the place of two floats, and marks are uint32 numbers in the place of one. Nobody may compute with such
// floats, since they may look like signalling NaNs.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "model/engine/events/memory.h"
#include "model/engine/events/outlook.h"

namespace aaren::events {

struct Event {
  int64_t time_ns;  // since 1970 UTC, or since any origin if the row was made without a calendar
  uint64_t mark;    // the mark's name
};

inline constexpr size_t kTokenFloats = 3;

// [kTokenFloats]. The mark is a number of a client, and so has 32 bits.
inline void PutEvent(int64_t time_ns, uint32_t mark, float* to) {
  std::memcpy(to, &time_ns, sizeof(time_ns));
  std::memcpy(to + 2, &mark, sizeof(mark));
}

inline Event EventAt(const float* from) {
  int64_t time_ns;
  uint32_t mark;
  std::memcpy(&time_ns, from, sizeof(time_ns));
  std::memcpy(&mark, from + 2, sizeof(mark));
  return {time_ns, mark};
}

// The forecast after an event.
struct EventForecast {
  Outlook outlook;              // when the next event comes
  float marks[kMarkSlots + 1];  // probability of the mark of each slot, 0 where free; the last is that of a new mark
  uint32_t names[kMarkSlots];   // the mark in each slot
  uint32_t unused;

  static EventForecast Of(const float* result) {
    EventForecast forecast;
    std::memcpy(&forecast, result, sizeof(forecast));
    return forecast;
  }
};

inline constexpr size_t kForecastFloats = sizeof(EventForecast) / sizeof(float);
static_assert(sizeof(EventForecast) == sizeof(Outlook) + (2 * kMarkSlots + 2) * sizeof(float));

}  // namespace aaren::events

#endif  // AAREN_MODEL_ENGINE_EVENTS_EVENT_TOKEN_H_
