#ifndef AAREN_MODEL_TASKS_EVENTS_SCORES_CONTEST_H_
#define AAREN_MODEL_TASKS_EVENTS_SCORES_CONTEST_H_

// A Contest scores forecasts of events beside simple rules. Every stream is a session without a past; after each event
// the next interval and mark are forecast. All methods are scored on the same events: from the third on, once an
// interval above 0 has been seen. The forecasts may come from an engine or from a server.
//
//   Contest contest({.rounding = 1});
//   for each stream: contest.Begin(), and for each event: contest.Take(gap, mark, forecast made before the event)
//   contest.Finish()
//
// Threading: a plain value.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "model/tasks/events/rules/interval_rules.h"
#include "model/tasks/events/rules/mark_rules.h"
#include "model/tasks/events/scores/judges.h"

namespace aaren::events {

struct Evaluation {
  size_t events = 0;                  // scored
  double fresh_share = 0;             // share of marks that were new
  std::vector<TimeScore> times = {};  // the model first, then the rules
  std::vector<MarkScore> marks = {};
};

struct ContestOptions {
  double rounding = 0;  // seconds to which times are rounded; 0: not, and `binned` equals `nll`
  bool rules = true;    // false: the model alone
};

class Contest {
 public:
  explicit Contest(const ContestOptions& options);

  // Begins a stream: the rules forget the stream before.
  void Begin();

  // Takes the stream's next event, `gap` seconds after the event before (any number for the first). `interval` and
  // `mark_forecast` were made after the event before; null where there was no forecast.
  void Take(double gap, uint64_t mark, const IntervalForecast* interval, const MarkChance* mark_forecast);

  // True if Take scores the next event where a forecast is given: callers may save the work of making a forecast.
  bool scores_next() const { return seen_ >= 2; }

  // InvalidArgument if no event was scored.
  absl::StatusOr<Evaluation> Finish();

 private:
  void JudgeTimes(const IntervalForecast& model, double gap);
  void JudgeMarks(const MarkChance& model, uint64_t mark);

  const ContestOptions options_;
  std::vector<TimeJudge> times_;
  std::vector<MarkJudge> marks_;
  size_t events_ = 0;
  double fresh_ = 0;
  // The present stream's.
  size_t seen_ = 0;
  std::vector<std::pair<std::string, std::unique_ptr<IntervalRule>>> rules_;
  MarkRules mark_rules_;
  TieRate ties_;
};

// Two tables as text.
std::string EvaluationTable(const Evaluation& evaluation);

}  // namespace aaren::events

#endif  // AAREN_MODEL_TASKS_EVENTS_SCORES_CONTEST_H_
