#ifndef AAREN_CLIENT_CLI_SOURCES_EVENTS_LIVE_EVENTS_H_
#define AAREN_CLIENT_CLI_SOURCES_EVENTS_LIVE_EVENTS_H_

// The events of a pipe as the rows of a session. A late event, with a time before an event that has passed, is left out
// and counted: a session's times never go back. A session goes on behind the time of its last event. Threading: as
// RowSource. Wrap it in RecentRows, for a server that wants events again.

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client/cli/sources/events/event_reader.h"
#include "client/cli/sources/row_source.h"

namespace aaren::cli {

class LiveEvents : public RowSource {
 public:
  // With `stop_at_late` a late event is an error.
  LiveEvents(std::unique_ptr<EventReader> reader, bool stop_at_late)
      : reader_(std::move(reader)), stop_at_late_(stop_at_late) {}

  const std::vector<std::string>& columns() const override { return columns_; }
  bool has_times() const override { return true; }
  bool has_marks() const override { return true; }
  // INVALID_ARGUMENT, too, for an event of a second series: a session for each takes a file.
  absl::StatusOr<bool> Next(Row& row) override;
  bool ready() override { return false; }
  absl::StatusOr<std::string> GoOn(const SessionPlace& place) override;
  absl::Status Seek(uint64_t seq) override;
  bool CanSeek(uint64_t) const override { return false; }
  std::vector<std::string> Summary() const override;

 private:
  const std::unique_ptr<EventReader> reader_;
  const bool stop_at_late_;
  const std::vector<std::string> columns_ = {"events"};
  std::optional<std::string> series_;
  std::optional<int64_t> behind_ns_;  // the session has the events up to this time
  std::optional<int64_t> last_ns_;
  uint64_t next_seq_ = 0;
  uint64_t known_ = 0, late_ = 0, together_ = 0;
};

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_SOURCES_EVENTS_LIVE_EVENTS_H_
