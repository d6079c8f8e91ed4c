#ifndef AAREN_CLIENT_CLI_SOURCES_AHEAD_KNOWN_AHEAD_H_
#define AAREN_CLIENT_CLI_SOURCES_AHEAD_KNOWN_AHEAD_H_

// KnownAhead gives each row the covariates of the rows ahead (Row::future).
//
//   A file      shows its own later rows. Rows at its end without a value of any series only tell what is known in
//               advance, and do not come out: a later file brings their values. FutureRows follow the last row.
//   A pipe      has FutureRows only: the rows behind the time of the row at hand.
//
// Threading: as RowSource.

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client/cli/sources/ahead/future_rows.h"
#include "client/cli/sources/row_source.h"

namespace aaren::cli {

struct KnownAheadOptions {
  size_t horizon = 1;                      // steps ahead
  bool file = true;                        // later rows of the source can be read ahead
  std::optional<FutureRows> further = {};  // behind the rows of the source
  // The grid of the source's times, which may become known by and by.
  std::function<client::RegularOptions()> grid = [] { return client::RegularOptions(); };
};

class KnownAhead : public RowSource {
 public:
  KnownAhead(std::unique_ptr<RowSource> source, KnownAheadOptions options)
      : source_(std::move(source)), options_(std::move(options)) {}

  const std::vector<std::string>& columns() const override { return source_->columns(); }
  bool has_times() const override { return source_->has_times(); }
  client::Covariates covariates() const override { return source_->covariates(); }
  absl::StatusOr<bool> Next(Row& row) override;
  bool ready() override { return options_.file || source_->ready(); }
  absl::StatusOr<std::string> GoOn(const SessionPlace& place) override;
  absl::Status Seek(uint64_t seq) override;
  bool CanSeek(uint64_t seq) const override { return source_->CanSeek(seq); }
  std::vector<std::string> Summary() const override;
  bool live() const override { return source_->live(); }

 private:
  void ReadAhead();
  void Clear();
  void Append(const Row& ahead, Row& row) const;
  void AppendFurther(const Row& behind, Row& row) const;

  const std::unique_ptr<RowSource> source_;
  const KnownAheadOptions options_;
  std::deque<Row> rows_;    // read, and not given out
  size_t with_values_ = 0;  // the rows up to the last one with a value
  bool ended_ = false;
  absl::Status status_;  // the source's, behind rows_
};

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_SOURCES_AHEAD_KNOWN_AHEAD_H_
