#ifndef AAREN_MODEL_ENGINE_EVENTS_QUANTILES_H_
#define AAREN_MODEL_ENGINE_EVENTS_QUANTILES_H_

// The numbers that an application gets of one forecast: many numbers of an outlook at once, and the likeliest marks.
// Numbers of an outlook are floats, some twenty times as fast as outlook.h number by number. A probability differs from
// outlook.h by less than 1e-5. The bits are the same on every machine.
//
// Threading: plain functions.

#include <cstdint>

#include "absl/types/span.h"
#include "model/engine/events/event_token.h"
#include "model/engine/events/outlook.h"

namespace aaren::events {

// The interval in seconds at each level in (0, 1); 0 within the probability of a tie. REQUIRES: made(), levels ascend,
// and `intervals` has as many places.
void IntervalsAt(const Outlook& outlook, absl::Span<const float> levels, float* intervals);

// The probability of an interval of at most each span, in seconds above 0. REQUIRES: made(), and as many places.
void ProbabilitiesWithin(const Outlook& outlook, absl::Span<const double> spans, float* probabilities);

// The name, among those of marks, of any mark that the row does not know; with the probability 0, of no mark.
inline constexpr uint32_t kUnknownMark = 0xffffffff;

// The names of the likeliest marks and their probabilities, the likeliest first; equally likely marks come in the order
// of their slots. Probabilities are NaN where the outlook is not made. REQUIRES: at most kMarkSlots names, and as many
// places for probabilities.
void LikeliestMarks(const EventForecast& forecast, absl::Span<uint32_t> names, float* probabilities);

}  // namespace aaren::events

#endif  // AAREN_MODEL_ENGINE_EVENTS_QUANTILES_H_
