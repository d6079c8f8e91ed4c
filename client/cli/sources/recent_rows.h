#ifndef AAREN_CLIENT_CLI_SOURCES_RECENT_ROWS_H_
#define AAREN_CLIENT_CLI_SOURCES_RECENT_ROWS_H_

// Lets a source that cannot go back go back a little: keeps its latest rows in memory. Threading: as RowSource.

#include <atomic>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "client/cli/sources/row_source.h"

namespace aaren::cli {

class RecentRows : public RowSource {
 public:
  // Keeps at most `capacity` rows, at least one.
  RecentRows(std::unique_ptr<RowSource> source, size_t capacity);

  const std::vector<std::string>& columns() const override { return source_->columns(); }
  bool has_times() const override { return source_->has_times(); }
  client::Covariates covariates() const override { return source_->covariates(); }
  bool has_marks() const override { return source_->has_marks(); }
  absl::StatusOr<bool> Next(Row& row) override;
  bool ready() override { return next_seq_ < end() || source_->ready(); }
  absl::Status Seek(uint64_t seq) override;
  absl::StatusOr<std::string> GoOn(const SessionPlace& place) override;
  std::vector<std::string> Summary() const override { return source_->Summary(); }
  bool CanSeek(uint64_t seq) const override { return seq >= first_seq_; }
  bool live() const override { return source_->live(); }

 private:
  uint64_t end() const { return first_seq_ + rows_.size(); }

  const std::unique_ptr<RowSource> source_;
  const size_t capacity_;
  std::deque<Row> rows_;                 // first_seq_ ..
  std::atomic<uint64_t> first_seq_ = 0;  // written by the source's thread only
  uint64_t next_seq_ = 0;
};

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_SOURCES_RECENT_ROWS_H_
