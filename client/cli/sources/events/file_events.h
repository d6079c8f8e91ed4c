#ifndef AAREN_CLIENT_CLI_SOURCES_EVENTS_FILE_EVENTS_H_
#define AAREN_CLIENT_CLI_SOURCES_EVENTS_FILE_EVENTS_H_

// The events of one series of a file as the rows of a session. A session goes on where the file has the session's
// events from the first; else behind the time of the session's last event, so that a further file follows on.
// Threading: as RowSource.

#include <atomic>
#include <string>
#include <vector>

#include "client/cli/sources/events/event_series.h"
#include "client/cli/sources/row_source.h"

namespace aaren::cli {

class FileEvents : public RowSource {
 public:
  // `series` outlives this. With `from_start` every event of the file follows on the session's last. Errors call the
  // file `name`.
  FileEvents(std::string name, const EventSeries& series, bool from_start);

  const std::vector<std::string>& columns() const override { return columns_; }
  bool has_times() const override { return true; }
  bool has_marks() const override { return true; }
  absl::StatusOr<bool> Next(Row& row) override;
  bool ready() override { return true; }
  absl::StatusOr<std::string> GoOn(const SessionPlace& place) override;
  absl::Status Seek(uint64_t seq) override;
  bool CanSeek(uint64_t seq) const override { return seq >= base_seq_; }
  std::vector<std::string> Summary() const override;

 private:
  const std::string name_;
  const EventSeries& series_;
  const bool from_start_;
  const std::vector<std::string> columns_;
  size_t skipped_ = 0;                  // events of the file that the session has already
  std::atomic<uint64_t> base_seq_ = 0;  // the seq of event skipped_
  size_t next_ = 0;
};

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_SOURCES_EVENTS_FILE_EVENTS_H_
