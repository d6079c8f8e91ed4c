#ifndef AAREN_CLIENT_CLI_SOURCES_ROW_SOURCE_H_
#define AAREN_CLIENT_CLI_SOURCES_ROW_SOURCE_H_

// A RowSource yields the rows that a session streams: row i is the session's token i, a value per series or an event. A
// server may ask for tokens again, so a source can be told to go back, as far as the source is able to. Threading: one
// thread, but for CanSeek.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aaren/client/session_options.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace aaren::cli {

struct Row {
  std::string time;  // the source's text; empty without a time
  int64_t time_ns = 0;
  std::vector<double> values;          // NaN: missing; none for an event
  std::vector<float> covariates = {};  // past covariates, then future ones; NaN: missing
  std::vector<float> future = {};      // [steps ahead, future covariates]; NaN: not known
  std::string mark = {};               // an event's
};

// The place of a session: its next token, and the times of its tokens.
struct SessionPlace {
  uint64_t next_seq = 0;
  std::optional<int64_t> last_time_ns = {};  // the time of token next_seq - 1
  int64_t step_ns = 0;                       // between tokens; 0: not known
  uint64_t delivered_seq = 0;  // forecasts below are on record: the rows from next_seq to here come once more
};

class RowSource {
 public:
  virtual ~RowSource() = default;

  virtual const std::vector<std::string>& columns() const = 0;
  virtual bool has_times() const = 0;
  virtual client::Covariates covariates() const { return {}; }  // how many a row has

  // True if rows are events, with times and marks; columns() is then the name of the series.
  virtual bool has_marks() const { return false; }

  // The next row, after a wait where rows come with time; false at the end. CANCELLED if the wait was interrupted.
  virtual absl::StatusOr<bool> Next(Row& row) = 0;

  // True if Next surely answers at once. A record of a pipe may be no row.
  virtual bool ready() = 0;

  // The next row will be row `seq`; earlier rows are passed over. DATA_LOSS if the row is gone, OUT_OF_RANGE if the
  // source ends before the row.
  virtual absl::Status Seek(uint64_t seq) = 0;

  // The next row will be the session's next: the first row behind the session's last time where both have times, else
  // row next_seq. Returns a remark for the user, or nothing. Errors as from Seek.
  virtual absl::StatusOr<std::string> GoOn(const SessionPlace& place) {
    absl::Status status = Seek(place.next_seq);
    if (!status.ok()) return status;
    return std::string();
  }

  // Tells the user the fate of the rows, a sentence each. REQUIRES: Next has given the last row.
  virtual std::vector<std::string> Summary() const { return {}; }

  // True if Seek can go back to row `seq`. Safe from any thread.
  virtual bool CanSeek(uint64_t seq) const = 0;

  // True if rows are made as time goes by: then rows have no numbers of their own, and a Seek forward skips none.
  virtual bool live() const { return false; }
};

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_SOURCES_ROW_SOURCE_H_
