#ifndef AAREN_MODEL_TRAINING_EVENTS_TIME_LOSS_H_
#define AAREN_MODEL_TRAINING_EVENTS_TIME_LOSS_H_

// The loss of a token's forecast of the next interval, in nats, and the loss's gradient. The loss is the negative
// logarithm of a tie's probability, or of the density of the interval's logarithm (engine/events/outlook.h). Threading:
// any.

#include "model/training/events/event_batch.h"

namespace aaren::training {

// numbers   [kTimeNumbers], those of the time head
// gradient  [kTimeNumbers], out
double TimeLoss(const float* numbers, const EventTarget& target, float* gradient);

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_EVENTS_TIME_LOSS_H_
