#ifndef AAREN_MODEL_TASKS_EVENTS_EVALUATION_H_
#define AAREN_MODEL_TASKS_EVENTS_EVALUATION_H_

// Scores the forecaster of events beside simple rules. Every stream is a session without a past; after each event
// the next interval and mark are forecast. All methods are scored on the same events: from the third on, once an
// interval above 0 has been seen.

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/engine/events/event_engine.h"
#include "model/tasks/events/event_file.h"

namespace aaren::events {

struct TimeScore {
  std::string name;
  double nll = 0;     // nats per event: the density of the interval's logarithm; a tie is an atom
  double binned = 0;  // the same for rounded times: the mass of the rounding's width, by its width in logarithm
  double wql = 0;     // twice the pinball loss over levels 0.1 ... 0.9, by the sum of intervals
  double ks = 0;      // largest distance between the surprises' distribution and the uniform
};

struct MarkScore {
  std::string name;
  double nll = 0;       // nats per event over the known marks and "new"
  double accuracy = 0;  // share of marks named; a new mark is always a miss
};

struct Evaluation {
  size_t events = 0;             // scored
  double fresh_share = 0;        // share of marks that were new
  std::vector<TimeScore> times;  // the model first, then the rules
  std::vector<MarkScore> marks;
};

struct EvaluationOptions {
  double rounding = 0;   // seconds to which times are rounded; 0: not, and `binned` equals `nll`
  bool calendar = true;  // true if times have an origin and a unit
  bool rules = true;     // false: the model alone
};

// REQUIRES: streams are as ReadEventFile returns them. InvalidArgument if no event can be scored.
absl::StatusOr<Evaluation> EvaluateEvents(const EventEngine& engine, absl::Span<const EventStream> streams,
                                          const EvaluationOptions& options);

// Two tables as text.
std::string EvaluationTable(const Evaluation& evaluation);

}  // namespace aaren::events

#endif  // AAREN_MODEL_TASKS_EVENTS_EVALUATION_H_
