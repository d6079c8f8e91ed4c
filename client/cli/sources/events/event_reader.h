#ifndef AAREN_CLIENT_CLI_SOURCES_EVENTS_EVENT_READER_H_
#define AAREN_CLIENT_CLI_SOURCES_EVENTS_EVENT_READER_H_

// An EventReader reads events from a file or a pipe; event_records.h has the forms. Times are dates or numbers since
// 1970, as in time/time_format.h, or numbers of a unit of the caller's. The first times tell the format: up to 20,000
// of a file, one of a pipe.
//
// A row that cannot be read is an error that names the file, the line and the column: no time, a time of another
// format, a mark of more than 64 bytes, a ragged row. A pipe goes on behind such a row, and counts the row.
// Threading: a plain value.

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/cli/sources/events/event_records.h"
#include "client/cli/sources/time/time_format.h"

namespace aaren::cli {

struct EventFileOptions {
  EventColumns columns = {};
  std::string time_format = {};                  // see TimeFormat::FromName; empty: found
  std::optional<absl::Duration> time_unit = {};  // times are numbers of this unit, from any origin
};

// INVALID_ARGUMENT for options that no file could make right.
absl::Status CheckEventFileOptions(const EventFileOptions& options);

struct Event {
  uint64_t line = 0;
  std::string time;     // the file's text
  int64_t time_ns = 0;  // since 1970-01-01 UTC, or since the origin of the file's numbers
  std::string mark;     // at most 64 bytes, valid UTF-8; empty without a column of marks
  std::string series;   // empty without a column of series
};

// The rows of a pipe that had no usable content.
struct EventFaults {
  uint64_t rows = 0;
  std::string first = {};  // the error of the first fault
};

class EventReader {
 public:
  // Errors call the source `name`. `live`: rows may be long in coming, so only the first row is waited for.
  static absl::StatusOr<std::unique_ptr<EventReader>> Open(std::string name, ByteSource bytes,
                                                           const EventFileOptions& options, bool live);

  // The next event; false at the end.
  absl::StatusOr<bool> Next(Event& event);

  const EventFaults& faults() const { return faults_; }
  const std::string& name() const { return name_; }

  // A time as the file writes times.
  std::string Written(int64_t time_ns) const;

  // "name: what" as INVALID_ARGUMENT.
  absl::Status Error(absl::string_view what) const;

 private:
  EventReader(std::string name, const EventFileOptions& options, bool live)
      : name_(std::move(name)), options_(options), live_(live) {}

  absl::Status FindFormat();
  absl::StatusOr<bool> NextRecord(EventRecord& record);
  absl::StatusOr<int64_t> TimeOf(const std::string& text);
  absl::Status Read(EventRecord record, Event& event);
  absl::Status CellError(uint64_t line, absl::string_view column, absl::string_view cell, absl::string_view what) const;

  const std::string name_;
  const EventFileOptions options_;
  const bool live_;
  std::unique_ptr<EventRecords> records_;
  std::deque<EventRecord> first_;  // read ahead for the format
  std::optional<TimeFormat> format_;
  EventFaults faults_;
};

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_SOURCES_EVENTS_EVENT_READER_H_
