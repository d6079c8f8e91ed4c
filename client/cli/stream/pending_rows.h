#ifndef AAREN_CLIENT_CLI_STREAM_PENDING_ROWS_H_
#define AAREN_CLIENT_CLI_STREAM_PENDING_ROWS_H_

// The rows sent and not answered yet. A reply names its token by seq only: the row's time and values, printed beside
// the forecast, wait here. Threading: safe from any thread.

#include <cstdint>
#include <deque>
#include <optional>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "client/cli/sources/row_source.h"

namespace aaren::cli {

struct PendingRow {
  Row row;
  absl::Time sent;
};

class PendingRows {
 public:
  // Rows come in order of seq; a smaller seq starts over from there.
  void Push(uint64_t seq, PendingRow row);

  // Takes out row `seq` and all rows before; nothing if `seq` is missing.
  std::optional<PendingRow> Take(uint64_t seq);

  // Forgets the rows below `seq`.
  void DropBelow(uint64_t seq);

 private:
  void Drop(uint64_t seq) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  absl::Mutex mutex_;
  uint64_t first_seq_ ABSL_GUARDED_BY(mutex_) = 0;
  std::deque<PendingRow> rows_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_STREAM_PENDING_ROWS_H_
