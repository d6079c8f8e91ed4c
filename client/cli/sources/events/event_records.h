#ifndef AAREN_CLIENT_CLI_SOURCES_EVENTS_EVENT_RECORDS_H_
#define AAREN_CLIENT_CLI_SOURCES_EVENTS_EVENT_RECORDS_H_

// EventRecords cuts a file of events into records: the texts of an event's time, mark and series, not judged yet. The
// first byte tells the form of the file:
//
//   CSV                a header, then an event a line
//   JSON, an event     {"time": "2024-01-31T12:00:00Z", "mark": "login", "series": "web"}
//   JSON, a stream     {"times": [0, 2.5], "marks": [3, 1]}: the series is called by the number of the line
//
// Without options the column (or key) of times is called time, timestamp, datetime or date; of marks mark, type, kind
// or event; of series series. Only times are necessary. Numbers in JSON count as their text.
// Threading: as the source of bytes.

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "client/cli/terminal/byte_source.h"

namespace aaren::cli {

struct EventColumns {
  std::string time = {}, mark = {}, series = {};  // names; empty: found
  std::string delimiter = {};                     // one character, "tab" or "space"; empty: found
};

struct EventRecord {
  uint64_t line = 0;
  std::string time = {}, mark = {}, series = {};
  // Not OK: the record cannot be read, and its texts mean nothing. Names the line and, if it can, the column.
  absl::Status fault = {};
};

class EventRecords {
 public:
  // The bytes may be packed (text_bytes.h). INVALID_ARGUMENT without a header that has the named columns. Errors do not
  // name the file.
  static absl::StatusOr<std::unique_ptr<EventRecords>> Open(ByteSource bytes, const EventColumns& columns);

  virtual ~EventRecords() = default;

  // The next record, faulty or not; false at the end. An error of the source, or a quote that is never closed, ends the
  // reading.
  virtual absl::StatusOr<bool> Next(EventRecord& record) = 0;
};

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_SOURCES_EVENTS_EVENT_RECORDS_H_
