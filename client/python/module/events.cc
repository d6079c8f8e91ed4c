#include "client/python/module/events.h"

#include <algorithm>
#include <limits>

#include "model/engine/events/event_token.h"
#include "model/engine/events/quantiles.h"

namespace aaren::python {

void CopyEvents(const EventArrays& arrays, size_t begin, size_t end, float* out) {
  for (size_t t = begin; t < end; ++t, out += events::kTokenFloats) {
    events::PutEvent(arrays.times[t], arrays.marks[t], out);
  }
}

void PutEventForecast(const float* result, size_t place, const EventArrays& arrays) {
  const EventSelection& selection = *arrays.selection;
  const events::EventForecast forecast = events::EventForecast::Of(result);
  float* const seconds = arrays.seconds + place * selection.levels.size();
  float* const within = arrays.within + place * selection.spans.size();
  if (forecast.outlook.made()) {
    events::IntervalsAt(forecast.outlook, selection.levels, seconds);
    events::ProbabilitiesWithin(forecast.outlook, selection.spans, within);
  } else {
    std::fill_n(seconds, selection.levels.size(), std::numeric_limits<float>::quiet_NaN());
    std::fill_n(within, selection.spans.size(), std::numeric_limits<float>::quiet_NaN());
  }
  const size_t first = place * selection.marks;
  events::LikeliestMarks(forecast, {arrays.likeliest + first, selection.marks}, arrays.probabilities + first);
}

}  // namespace aaren::python
