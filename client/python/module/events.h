#ifndef AAREN_CLIENT_PYTHON_MODULE_EVENTS_H_
#define AAREN_CLIENT_PYTHON_MODULE_EVENTS_H_

// Events of a batch, and the forecasts after the events, as arrays of the caller. The numbers of a forecast are those
// that a server sends (server/sessions/task/events.h). Threading: places of different tokens may be written at once.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/engine/engine.h"

namespace aaren::python {

// The content of forecasts. REQUIRES: levels in (0, 1) and spans above 0 ascend, and at most events::kMarkSlots marks.
struct EventSelection {
  std::vector<float> levels;  // quantile levels
  std::vector<double> spans;  // seconds
  size_t marks = 0;           // how many of the likeliest
  engine::EventScale scale;   // the sessions'
};

struct EventArrays {
  const EventSelection* selection = nullptr;
  const int64_t* times = nullptr;   // [tokens] nanoseconds since 1970 UTC
  const uint32_t* marks = nullptr;  // [tokens], below events::kUnknownMark
  float* seconds = nullptr;         // out, [wanted, levels], to the next event; NaN without a forecast, as are the next
  float* within = nullptr;          // out, [wanted, spans], probabilities
  uint32_t* likeliest = nullptr;    // out, [wanted, selection's marks]
  float* probabilities = nullptr;   // out, [wanted, selection's marks]
};

// The tokens begin .. end - 1 as the engine takes tokens (model/engine/events/event_token.h).
void CopyEvents(const EventArrays& arrays, size_t begin, size_t end, float* out);

// Writes a result of the engine to the place of a wanted forecast.
void PutEventForecast(const float* result, size_t place, const EventArrays& arrays);

}  // namespace aaren::python

#endif  // AAREN_CLIENT_PYTHON_MODULE_EVENTS_H_
