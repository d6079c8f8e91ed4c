#ifndef AAREN_MODEL_TASKS_EVENTS_EVENT_FILE_H_
#define AAREN_MODEL_TASKS_EVENTS_EVENT_FILE_H_

// Reads streams of events from a file in either form, plain or compressed by gzip:
//   .csv: a header with the columns time and mark (optional) and series (optional), then an event a line;
//   else JSON lines: a stream a line, {"times": [...], "marks": [...]}; further keys are ignored.
// A time is a number in a unit of the caller's, or in CSV also a date and time like 2024-05-01T12:00:00Z. A mark is
// text of at most 64 bytes, or in JSON a whole number. A stream's events are in order of time.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace aaren::events {

inline constexpr size_t kMostMarkBytes = 64;

struct EventStream {
  std::string series;             // name in a CSV file; empty in JSON
  std::vector<int64_t> times_ns;  // never less than the one before
  std::vector<uint64_t> marks;    // names: fingerprints of the texts
};

// `unit` is the number of seconds in one unit of the file's times. NotFound if the file and FILE.gz are absent.
// DataLoss if the compressed data are broken. InvalidArgument, with file and line, for anything unreadable: no number,
// a mark that is too long, times that go back or are beyond 292 years from 1970, or no events.
absl::StatusOr<std::vector<EventStream>> ReadEventFile(const std::string& path, double unit);

// True if every time is a whole number of units of this many seconds.
bool WholeUnits(const std::vector<EventStream>& streams, double unit);

// The name of a mark's text, the same on every machine.
uint64_t MarkName(const std::string& text);

}  // namespace aaren::events

#endif  // AAREN_MODEL_TASKS_EVENTS_EVENT_FILE_H_
