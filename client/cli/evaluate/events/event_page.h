#ifndef AAREN_CLIENT_CLI_EVALUATE_EVENTS_EVENT_PAGE_H_
#define AAREN_CLIENT_CLI_EVALUATE_EVENTS_EVENT_PAGE_H_

// The report of an evaluation of events: a self-contained HTML file, well-formed as XML. The page has the printed
// tables, the distribution of surprises, and the last intervals of a few series beside their forecasts. Threading: a
// pure function.

#include <string>

#include "client/cli/evaluate/events/event_evaluation.h"

namespace aaren::cli {

struct EventPageFacts {
  std::string command, file;
  size_t series = 0, events = 0;  // the file's
};

std::string EventPage(const EventScores& scores, const EventPageFacts& facts);

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_EVALUATE_EVENTS_EVENT_PAGE_H_
