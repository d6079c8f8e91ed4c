#ifndef AAREN_CLIENT_CLI_EVALUATE_EVENTS_EVENT_EVALUATION_H_
#define AAREN_CLIENT_CLI_EVALUATE_EVENTS_EVENT_EVALUATION_H_

// Scores a server's forecasts of events beside simple rules (model/tasks/events/scores/contest.h). Each series is
// streamed through a session of its own, which begins knowing nothing and is deleted. Threading: blocks.

#include <functional>
#include <string>
#include <vector>

#include "aaren/client/session_options.h"
#include "absl/status/statusor.h"
#include "client/cli/evaluate/series_stream.h"
#include "client/cli/sources/events/event_series.h"
#include "client/cli/terminal/interrupt.h"
#include "model/tasks/events/scores/contest.h"

namespace aaren::cli {

struct EventEvaluationOptions {
  EvaluatedServer server = {};
  client::EventScale scale = {};  // the sessions' scale; a resolution also makes `binned` differ from `nll`
};

// The last intervals of a series beside their forecasts, in seconds.
struct SampledIntervals {
  std::string series;
  std::vector<double> event = {};  // the number of the event that ends the interval
  std::vector<double> gap = {};    // the interval
  std::vector<double> low = {}, median = {},
                      high = {};  // quantiles 0.1, 0.5 and 0.9 that were forecast for the interval
};

struct EventScores {
  events::Evaluation evaluation;
  std::string model;                           // name:version
  std::vector<SampledIntervals> samples = {};  // three series at most, spread evenly over all
};

// `progress` is called with the number of finished series. CANCELLED if interrupted; INVALID_ARGUMENT if no series has
// three events; else the server's refusal, naming the series.
absl::StatusOr<EventScores> EvaluateEvents(const std::vector<EventSeries>& series,
                                           const EventEvaluationOptions& options, const Interrupt& interrupt,
                                           const std::function<void(size_t)>& progress);

// A line of JSON for each method's times, and for each method's marks.
std::string EventScoresToJsonLines(const events::Evaluation& evaluation);

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_EVALUATE_EVENTS_EVENT_EVALUATION_H_
