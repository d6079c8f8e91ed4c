#ifndef AAREN_CLIENT_CLI_SOURCES_REGULAR_SOURCE_H_
#define AAREN_CLIENT_CLI_SOURCES_REGULAR_SOURCE_H_

// The rows of a CSV file or of standard input on a grid of times: aaren/client/regular_series.h says what becomes of
// gaps, repeated and late rows. A file can be read again from any row, a pipe cannot. Rows without times pass as they
// are.
//
// The step is the one that is asked for, or is found from the first rows. A pipe shows only the rows that came with the
// first: if these tell nothing, rows pass as they come until some more have told the step. A file whose times mostly go
// back is newest first, and is turned; a file in no order is sorted. Both are then held in memory.
//
// A session that has times goes on behind its last one, whatever the file begins with. If the file has all rows of the
// session from the first, rows are counted instead, which leaves nothing to judge. Threading: as RowSource.

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "aaren/client/regular_series.h"
#include "absl/time/time.h"
#include "client/cli/sources/csv.h"
#include "client/cli/sources/row_source.h"

namespace aaren::cli {

// RegularTimesOptions are the values of --step and of the flags beside --step.
struct RegularTimesOptions {
  std::string step = {};       // see TimeStep::Parse; empty: found
  std::string aggregate = {};  // first, last, mean, sum or max; empty: last of a file, first of a live source
  std::optional<absl::Duration> lateness = {};  // absent: some steps of a file, none of a live source
  std::string late = "skip";                    // or stop
  bool from_start = false;                      // every row follows on the session's last
};

// INVALID_ARGUMENT for what no file could make right.
absl::Status CheckRegularTimes(const RegularTimesOptions& options);

class RegularSource : public RowSource {
 public:
  // Opens the bytes from their beginning.
  using Opener = std::function<absl::StatusOr<ByteSource>()>;

  // Says what was decided for the user. `name` is what errors call the file. `again`: the opener may be called more
  // than once.
  static absl::StatusOr<std::unique_ptr<RegularSource>> Open(std::string name, Opener opener, bool again,
                                                             CsvOptions csv, RegularTimesOptions times);

  const std::vector<std::string>& columns() const override { return reader_->columns(); }
  bool has_times() const override { return reader_->has_times(); }
  absl::StatusOr<bool> Next(Row& row) override;
  bool ready() override { return again_ || series_->ready() || reader_->buffered(); }
  absl::StatusOr<std::string> GoOn(const SessionPlace& place) override;
  absl::Status Seek(uint64_t seq) override;
  bool CanSeek(uint64_t seq) const override { return again_ && seq >= base_seq_; }
  std::vector<std::string> Summary() const override;

 private:
  // How the rows of a file follow on each other.
  enum class Order { kAscending, kDescending, kNone };

  RegularSource(std::string name, Opener opener, bool again, CsvOptions csv, RegularTimesOptions times);
  absl::Status Begin();
  absl::Status LookAtTimes();
  absl::Status FindStep(const std::vector<int64_t>& times);
  absl::Status CheckSeries(const std::vector<int64_t>& sorted, size_t again);
  void MakeSeries();
  void Learn(int64_t time_ns);
  absl::Status ReadAll();
  absl::StatusOr<bool> NextCsvRow();
  absl::Status Place();
  bool IsOld(int64_t time_ns) const;
  void TellOfGap(const std::string& time);
  void Fill(client::RegularRow regular, Row& row);
  absl::StatusOr<bool> FindInFile(const SessionPlace& place);

  const std::string name_;
  const Opener opener_;
  const bool again_;
  CsvOptions csv_;
  const RegularTimesOptions times_;
  std::unique_ptr<CsvReader> reader_;
  Order order_ = Order::kAscending;
  std::vector<CsvRow> rows_;  // of a file that is not in order; next_row_ is the next one
  size_t next_row_ = 0;
  client::RegularOptions grid_;
  std::vector<int64_t> first_times_;  // while a live source has not shown its step
  std::unique_ptr<client::RegularSeries> series_;
  std::optional<int64_t> first_time_ns_;  // in the file, as far as looked at
  std::optional<int64_t> behind_ns_;      // rows up to it are the session's already
  std::atomic<uint64_t> base_seq_ = 0;    // of the first row that Begin leads to
  uint64_t next_seq_ = 0;
  CsvRow csv_row_;
  absl::Status failed_;  // behind the rows that are ready
  bool ended_ = false, told_gap_ = false, few_times_ = false;
  bool counts_rows_ = false;  // most times come more than once
};

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_SOURCES_REGULAR_SOURCE_H_
