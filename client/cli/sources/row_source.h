#ifndef AAREN_CLIENT_CLI_SOURCES_ROW_SOURCE_H_
#define AAREN_CLIENT_CLI_SOURCES_ROW_SOURCE_H_

// A RowSource yields the rows that a session streams: row i is the session's token i, one value per series. Because a
// server may ask for tokens again, a source can be told to go back, as far as it is able to.
// Threading: one thread, but for CanSeek.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace aaren::cli {

struct Row {
  std::string time;  // as the source writes it; empty where it has none
  int64_t time_ns = 0;
  std::vector<float> values;  // NaN: missing
};

// Where a session is: its next token, and what its tokens say about time.
struct SessionPlace {
  uint64_t next_seq = 0;
  std::optional<int64_t> last_time_ns = {};  // of token next_seq - 1
  int64_t step_ns = 0;                       // between tokens; 0: not known
  uint64_t delivered_seq = 0;  // forecasts below it are on record: the rows from next_seq to here come once more
};

class RowSource {
 public:
  virtual ~RowSource() = default;

  virtual const std::vector<std::string>& columns() const = 0;
  virtual bool has_times() const = 0;

  // The next row, waited for where rows come with time; false at the end. CANCELLED if the wait was interrupted.
  virtual absl::StatusOr<bool> Next(Row& row) = 0;

  // Whether Next answers at once.
  virtual bool ready() = 0;

  // The next row will be row `seq`; rows before it are passed over. DATA_LOSS if that row is gone, OUT_OF_RANGE if the
  // source ends before it.
  virtual absl::Status Seek(uint64_t seq) = 0;

  // The next row will be the session's next: the first one behind its last time where both have times, else row
  // next_seq. Returns what a user has to know about it, or nothing. Errors as from Seek.
  virtual absl::StatusOr<std::string> GoOn(const SessionPlace& place) {
    absl::Status status = Seek(place.next_seq);
    if (!status.ok()) return status;
    return std::string();
  }

  // Tells the user the fate of the rows, a sentence each. REQUIRES: Next has given the last row.
  virtual std::vector<std::string> Summary() const { return {}; }

  // Whether Seek can go back to row `seq`. Safe from any thread.
  virtual bool CanSeek(uint64_t seq) const = 0;

  // Whether rows are made as time goes by: then they have no numbers of their own, and Seek forward skips none.
  virtual bool live() const { return false; }
};

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_SOURCES_ROW_SOURCE_H_
