#ifndef AAREN_SERVER_SESSIONS_TASK_OUTPUT_H_
#define AAREN_SERVER_SESSIONS_TASK_OUTPUT_H_

// The outputs that an Open asks for, in the client's words and in the model's; and the expectation of the next value.

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "model/engine/engine.h"

namespace aaren::task {

// The numbers beside the series that each token brings, by Covariates of the proto.
struct CovariateCounts {
  uint32_t past = 0, future = 0;

  uint32_t all() const { return past + future; }
  bool operator==(const CovariateCounts&) const = default;
};

// EventOutput of the proto, field for field.
struct EventRequest {
  std::vector<double> spans_s = {};
  uint32_t marks = 0;
  float overdue = 0;  // a quantile; 0: never
  auto operator<=>(const EventRequest&) const = default;
};

// The part of a plan that models of events read.
struct EventPlan : EventRequest {
  std::vector<float> levels = {};  // quantiles
  engine::EventScale scale = {};
  auto operator<=>(const EventPlan&) const = default;
};

// OutputOptions of the proto, field for field, and Open.event_scale.
struct OutputRequest {
  std::vector<uint32_t> horizons = {};  // steps ahead, 1-based; empty: all
  std::vector<float> quantiles = {};    // empty: the model's
  uint32_t every = 1;
  bool surprise = false;
  engine::Refinement refinement = engine::Refinement::kRestricted;
  bool relative = false;
  std::optional<EventRequest> events = {};
  engine::EventScale scale = {};
};

// The model's form of a request; shared by sessions with equal requests.
struct OutputPlan {
  std::vector<uint32_t> horizons = {};   // 0-based rows of the forecast; empty: all
  std::vector<uint32_t> quantiles = {};  // 0-based columns; empty: all
  uint32_t every = 1;
  bool surprise = false;
  engine::Refinement refinement = engine::Refinement::kRestricted;
  bool relative = false;  // forecasts are relative to the tails of results
  EventPlan events = {};
  // Set where the request has a level that the model has not, for a far horizon, and with covariates: the engine makes
  // the numbers to send, and `horizons` and `quantiles` are empty. Shared with steps under way, which may outlive the
  // plan.
  std::shared_ptr<const engine::Selection> selection = nullptr;

  size_t ahead = 0;  // how many future values of covariates a token brings

  // The engine's floats behind a result.
  size_t selected() const { return selection == nullptr ? 0 : selection->floats(); }

  // True if the client gets a result for the token numbered `seq`.
  bool Sends(uint64_t seq) const { return every == 1 || seq % every == 0; }

  // True if the token's forecast is computed. A surprise compares a value with the forecast one token earlier, even if
  // the client does not get the earlier forecast.
  bool Computes(uint64_t seq) const { return Sends(seq) || (surprise && (seq + 1) % every == 0); }
};

// A result's lowest, middle and highest quantile of the next value. NaN: no result.
struct Expected {
  float low = std::numeric_limits<float>::quiet_NaN();
  float middle = std::numeric_limits<float>::quiet_NaN();
  float high = std::numeric_limits<float>::quiet_NaN();
};

}  // namespace aaren::task

#endif  // AAREN_SERVER_SESSIONS_TASK_OUTPUT_H_
