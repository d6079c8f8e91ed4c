#ifndef AAREN_MODEL_ENGINE_EVENTS_TIMED_FOLD_H_
#define AAREN_MODEL_ENGINE_EVENTS_TIMED_FOLD_H_

// Folds one token into a layer (paper, §3.1). Half of the heads age by one per event, the others by the time elapsed.

#include "model/engine/events/event_engine.h"

namespace aaren::events {

// scores [kHeads], values [kValueWidth], decay [kHeads]. Writes the attention's output, [kValueWidth].
void FoldEvent(const float* scores, const float* values, const double* decay, float elapsed, EventLayer& layer,
               float* out);

}  // namespace aaren::events

#endif  // AAREN_MODEL_ENGINE_EVENTS_TIMED_FOLD_H_
