#ifndef AAREN_MODEL_ENGINE_EVENTS_EVENT_WEIGHTS_H_
#define AAREN_MODEL_ENGINE_EVENTS_EVENT_WEIGHTS_H_

// The weights as the kernels need them: packed, with layers that read the same input side by side. Threading:
// immutable.

#include <array>
#include <vector>

#include "model/engine/events/event_package.h"
#include "model/engine/events/sizes.h"
#include "model/engine/network/packed_matrix.h"

namespace aaren::events {

using engine::PackedMatrix;

// A vector of kWidth floats that kernels may read.
struct alignas(64) Gain {
  float value[kWidth];
};

struct EventBlock {
  enum Wide { kScore, kValue, kGate };
  Gain norm1, norm2;
  PackedMatrix wide, output, gate_up, down;
  std::array<double, kHeads> decay;
};

struct EventWeights {
  enum Embed { kEmbedGate, kEmbedUp, kEmbedLine };
  enum Head { kTime, kMarkToken, kMarkLine, kMarkNew };

  // REQUIRES: LoadEventPackage accepted the package.
  explicit EventWeights(const EventPackage& package);

  PackedMatrix embed, embed_down;
  std::vector<EventBlock> blocks;
  Gain norm;
  PackedMatrix heads;
  PackedMatrix mark_input, mark_hidden;
};

}  // namespace aaren::events

#endif  // AAREN_MODEL_ENGINE_EVENTS_EVENT_WEIGHTS_H_
