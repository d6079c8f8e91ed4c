#ifndef AAREN_CLIENT_CLI_SOURCES_EVENTS_EVENT_SERIES_H_
#define AAREN_CLIENT_CLI_SOURCES_EVENTS_EVENT_SERIES_H_

// The events of a file, series by series, each in order of time. A file is held in memory as a whole: its series may be
// mixed, and its rows in any order. Events of one time keep their order in the file. Threading: plain values.

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/cli/sources/events/event_reader.h"

namespace aaren::cli {

struct EventSeries {
  std::string name;           // empty without a column of series
  std::vector<Event> events;  // at least one
  size_t late = 0;            // events that stood behind a later event in the file
  size_t together = 0;        // events at the time of the event before

  // For people: the fate of late and of equal times. A sentence each.
  std::vector<std::string> Remarks() const;
};

// The series in the order in which they appear. INVALID_ARGUMENT, naming the file and the line, for a row that cannot
// be read, for a file without events, and with `stop_at_late` for a late event.
absl::StatusOr<std::vector<EventSeries>> ReadEventFile(const std::string& path, const EventFileOptions& options,
                                                       bool stop_at_late);

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_SOURCES_EVENTS_EVENT_SERIES_H_
