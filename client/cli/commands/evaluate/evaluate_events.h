#ifndef AAREN_CLIENT_CLI_COMMANDS_EVALUATE_EVALUATE_EVENTS_H_
#define AAREN_CLIENT_CLI_COMMANDS_EVALUATE_EVALUATE_EVENTS_H_

#include <string>

#include "client/cli/evaluate/events/event_evaluation.h"
#include "client/cli/sources/events/event_reader.h"

namespace aaren::cli {

// The flags of `aaren evaluate --events=FILE`.
struct EvaluateEventsLine {
  std::string path;
  EventFileOptions file = {};
  EventEvaluationOptions evaluation = {};  // without a model the server's model of events
  std::string report = {};                 // an HTML file; empty: none
  bool json = false;
  std::string command = {};  // for the report
};

// Scores the file's events, prints the tables and writes the report; returns the exit status.
int RunEvaluateEvents(EvaluateEventsLine line);

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_COMMANDS_EVALUATE_EVALUATE_EVENTS_H_
