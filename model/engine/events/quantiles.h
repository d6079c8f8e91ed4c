#ifndef AAREN_MODEL_ENGINE_EVENTS_QUANTILES_H_
#define AAREN_MODEL_ENGINE_EVENTS_QUANTILES_H_

// Many numbers of one outlook at once, for replies: in floats, and some twenty times as fast as outlook.h number by
// number. A probability differs from outlook.h by less than 1e-5. The bits are the same on every machine.
//
// Threading: plain functions.

#include "absl/types/span.h"
#include "model/engine/events/outlook.h"

namespace aaren::events {

// The interval in seconds at each level in (0, 1); 0 within the probability of a tie. REQUIRES: made(), levels ascend,
// and `intervals` has as many places.
void IntervalsAt(const Outlook& outlook, absl::Span<const float> levels, float* intervals);

// The probability of an interval of at most each span, in seconds above 0. REQUIRES: made(), and as many places.
void ProbabilitiesWithin(const Outlook& outlook, absl::Span<const double> spans, float* probabilities);

}  // namespace aaren::events

#endif  // AAREN_MODEL_ENGINE_EVENTS_QUANTILES_H_
