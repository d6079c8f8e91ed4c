#ifndef AAREN_MODEL_TRAINING_EVENTS_EVENT_BATCH_H_
#define AAREN_MODEL_TRAINING_EVENTS_EVENT_BATCH_H_

// An EventBatch holds the inputs and the targets of a step of training. Inputs come from EventMemory, as in the engine.
// No torch. Threading: plain values.
//
// A sequence of n + 2 events has n tokens: token k comes after event k + 1 and forecasts event k + 2. Tokens before the
// first interval above 0 do not exist (memory.h) and have no weight.

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "model/engine/events/memory.h"
#include "model/math/lanes.h"
#include "model/tasks/events/synthetic.h"

namespace aaren::training {

inline constexpr int64_t kMarkStride = math::PadToLanes(events::kMarkInputs);
inline constexpr float kNoToken = -1;  // in EventBatch::elapsed

struct EventTarget {
  events::Places places;  // the token's
  double place;           // logarithm of the next interval less r; 0 for a tie
  bool tie;               // the next interval is 0
  int64_t mark;           // the next mark's slot; the number of known marks if the mark is new
};

struct EventBatch {
  int64_t rows = 0, tokens = 0;
  std::vector<float> inputs;         // [rows, tokens, kInputs]; 0 where there is no token
  std::vector<float> elapsed;        // [rows, tokens]: Places::elapsed; kNoToken where there is no token
  std::vector<float> weights;        // [rows, tokens]; 0 where there is no token
  std::vector<EventTarget> targets;  // [rows, tokens]
  std::vector<float> marks;          // [first_mark.back(), kMarkStride]: inputs of every token's known marks
  std::vector<int64_t> first_mark;   // [rows * tokens + 1]: where a token's marks begin
};

// The batch has the tokens of the longest sequence; shorter ones have no tokens behind their last. REQUIRES: a sequence
// has two or more events. Targets of rounded times lie anywhere within their rounding, which `seed` decides: a network
// that sees targets on a grid learns spikes.
EventBatch EventBatchOf(absl::Span<const events::EventSequence> sequences, uint64_t seed);

// Sequences first ... first + rows - 1 of a seed of the generator.
EventBatch DrawEventBatch(uint64_t seed, uint64_t first, int64_t rows, int64_t tokens);

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_EVENTS_EVENT_BATCH_H_
