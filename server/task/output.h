#ifndef AAREN_SERVER_TASK_OUTPUT_H_
#define AAREN_SERVER_TASK_OUTPUT_H_

// Which of a model's outputs an Open asks for, in its client's words and in the model's; what one says of a value.

#include <cstdint>
#include <limits>
#include <vector>

#include "model/engine/engine.h"

namespace aaren::task {

// OutputOptions of the proto, field for field.
struct OutputRequest {
  std::vector<uint32_t> horizons;  // steps ahead, 1-based; empty: all
  std::vector<float> quantiles;    // empty: all
  uint32_t every = 1;
  bool surprise = false;
  engine::Refinement refinement = engine::Refinement::kRestricted;
};

// What the model makes of a request; shared by the sessions that asked for the same.
struct OutputPlan {
  std::vector<uint32_t> horizons = {};   // 0-based rows of the forecast; empty: all
  std::vector<uint32_t> quantiles = {};  // 0-based columns; empty: all
  uint32_t every = 1;
  bool surprise = false;
  engine::Refinement refinement = engine::Refinement::kRestricted;

  // Whether the client gets a result of the token numbered `seq`.
  bool Sends(uint64_t seq) const { return every == 1 || seq % every == 0; }

  // Whether its forecast is computed. A surprise compares a value with the forecast one token earlier, though nobody
  // may get that one.
  bool Computes(uint64_t seq) const { return Sends(seq) || (surprise && (seq + 1) % every == 0); }
};

// What a result says of the next value alone: the lowest, the middle and the highest of its quantiles. NaN: nothing.
struct Expected {
  float low = std::numeric_limits<float>::quiet_NaN();
  float middle = std::numeric_limits<float>::quiet_NaN();
  float high = std::numeric_limits<float>::quiet_NaN();
};

}  // namespace aaren::task

#endif  // AAREN_SERVER_TASK_OUTPUT_H_
