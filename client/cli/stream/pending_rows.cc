#include "client/cli/stream/pending_rows.h"

#include <algorithm>
#include <utility>

namespace aaren::cli {

void PendingRows::Push(uint64_t seq, PendingRow row) {
  absl::MutexLock lock(&mutex_);
  if (seq < first_seq_ || seq > first_seq_ + rows_.size()) {
    // After a rewind or a jump the rows before do not join the new row.
    rows_.clear();
  } else {
    // The rows from `seq` on are sent again.
    rows_.resize(seq - first_seq_);
  }
  if (rows_.empty()) first_seq_ = seq;
  rows_.push_back(std::move(row));
}

void PendingRows::Drop(uint64_t seq) {
  const uint64_t count = std::min<uint64_t>(rows_.size(), seq - std::min(seq, first_seq_));
  rows_.erase(rows_.begin(), rows_.begin() + static_cast<ptrdiff_t>(count));
  first_seq_ += count;
}

void PendingRows::DropBelow(uint64_t seq) {
  absl::MutexLock lock(&mutex_);
  Drop(seq);
}

std::optional<PendingRow> PendingRows::Take(uint64_t seq) {
  absl::MutexLock lock(&mutex_);
  if (seq < first_seq_ || seq >= first_seq_ + rows_.size()) return {};
  Drop(seq);
  PendingRow row = std::move(rows_.front());
  Drop(seq + 1);
  return row;
}

}  // namespace aaren::cli
