#ifndef AAREN_MODEL_TRAINING_EVENTS_EVENT_LOSS_H_
#define AAREN_MODEL_TRAINING_EVENTS_EVENT_LOSS_H_

// The losses of a batch of events: weighted means over its tokens, in nats, for the next interval and the next mark.
// Both are computed together with their gradients in one pass over the tokens. Differentiable once.

#include <torch/types.h>

#include "model/nn/events/event_network.h"
#include "model/training/events/event_batch.h"

namespace aaren::training {

struct EventLoss {
  torch::Tensor time, mark;  // float32 scalars; both are 0 if the batch has no token
};

// REQUIRES: the batch lives until the losses' last use.
EventLoss ComputeEventLoss(nn::EventNetwork& network, const EventBatch& batch);

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_EVENTS_EVENT_LOSS_H_
