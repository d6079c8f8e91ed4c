#include "client/cli/sources/recent_rows.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace aaren::cli {

RecentRows::RecentRows(std::unique_ptr<RowSource> source, size_t capacity)
    : source_(std::move(source)), capacity_(std::max<size_t>(1, capacity)) {}

absl::StatusOr<bool> RecentRows::Next(Row& row) {
  if (next_seq_ == end()) {
    absl::StatusOr<bool> any = source_->Next(row);
    if (!any.ok() || !*any) return any;
    rows_.push_back(row);
    // Beyond the capacity the oldest row goes, and cannot be sent again.
    if (rows_.size() > capacity_) {
      rows_.pop_front();
      ++first_seq_;
    }
  } else {
    row = rows_[next_seq_ - first_seq_];
  }
  ++next_seq_;
  return true;
}

absl::StatusOr<std::string> RecentRows::GoOn(const SessionPlace& place) {
  if (next_seq_ > 0 || !rows_.empty()) {  // rows were read for this session before
    absl::Status status = Seek(place.next_seq);
    if (!status.ok()) return status;
    return std::string();
  }
  absl::StatusOr<std::string> said = source_->GoOn(place);
  if (said.ok()) first_seq_ = next_seq_ = place.next_seq;
  return said;
}

absl::Status RecentRows::Seek(uint64_t seq) {
  if (seq < first_seq_) {
    return absl::DataLossError(
        absl::StrCat("row ", seq, " is wanted again, and only the rows from ", first_seq_.load(), " on are kept"));
  }
  if (seq > end()) {
    absl::Status status = source_->Seek(seq);
    if (!status.ok()) return status;
    // Rows before a jump would not join the rows behind.
    rows_.clear();
    first_seq_ = seq;
  }
  next_seq_ = seq;
  return absl::OkStatus();
}

}  // namespace aaren::cli
