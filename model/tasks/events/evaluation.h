#ifndef AAREN_MODEL_TASKS_EVENTS_EVALUATION_H_
#define AAREN_MODEL_TASKS_EVENTS_EVALUATION_H_

// Scores the engine's forecasts of events beside simple rules (scores/contest.h).

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/engine/events/event_engine.h"
#include "model/tasks/events/event_file.h"
#include "model/tasks/events/scores/contest.h"

namespace aaren::events {

struct EvaluationOptions {
  double rounding = 0;                    // seconds to which times are rounded; 0: not, and `binned` equals `nll`
  bool calendar = true;                   // streams that begin with a date (memory.h) have a calendar
  bool rules = true;                      // false: the model alone
  std::vector<size_t> first_scored = {};  // each stream's first scored event; empty: all are scored
};

// REQUIRES: streams are as ReadEventFile returns them, and first_scored is empty or has a number for each.
// InvalidArgument if no event can be scored.
absl::StatusOr<Evaluation> EvaluateEvents(const EventEngine& engine, absl::Span<const EventStream> streams,
                                          const EvaluationOptions& options);

}  // namespace aaren::events

#endif  // AAREN_MODEL_TASKS_EVENTS_EVALUATION_H_
