#ifndef AAREN_CLIENT_CLI_SOURCES_REGULAR_SOURCE_H_
#define AAREN_CLIENT_CLI_SOURCES_REGULAR_SOURCE_H_

// The rows of a CSV file or of standard input on a grid of times: aaren/client/regular_series.h has the rules for gaps,
// repeated and late rows. A file can be read again from any row, a pipe cannot. Rows without times pass unchanged.
//
// The step is the user's, or is found from the first rows. A pipe shows only the rows that came with the first row: if
// they tell no step, rows pass unchanged until some more rows have told the step. csv/ordered_rows.h tells how
// rows are put in order.
//
// A session that has times goes on behind its last time, with any beginning of the file. If the file has all rows of
// the session from the first, rows are counted instead, and nothing has to be judged. Threading: as RowSource.

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "aaren/client/regular_series.h"
#include "absl/time/time.h"
#include "client/cli/sources/csv/csv.h"
#include "client/cli/sources/csv/ordered_rows.h"
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

// INVALID_ARGUMENT for options that no file could make right.
absl::Status CheckRegularTimes(const RegularTimesOptions& options);

class RegularSource : public RowSource {
 public:
  using Opener = BytesOpener;

  // Tells the user each decision. Errors call the file `name`. `again`: the opener may be called more than once.
  static absl::StatusOr<std::unique_ptr<RegularSource>> Open(std::string name, Opener opener, bool again,
                                                             CsvOptions csv, RegularTimesOptions times);

  const std::vector<std::string>& columns() const override { return reader().columns(); }
  bool has_times() const override { return reader().has_times(); }
  client::Covariates covariates() const override { return reader().covariates(); }
  absl::StatusOr<bool> Next(Row& row) override;
  bool ready() override { return again() || series_->ready(); }
  absl::StatusOr<std::string> GoOn(const SessionPlace& place) override;
  absl::Status Seek(uint64_t seq) override;
  bool CanSeek(uint64_t seq) const override { return again() && seq >= base_seq_; }
  std::vector<std::string> Summary() const override;

  // The grid on which the rows lie; of a live source, as far as its rows have shown.
  const client::RegularOptions& grid() const { return grid_; }

 private:
  RegularSource(OrderedRows rows, RegularTimesOptions times);
  const std::string& name() const { return rows_.name(); }
  bool again() const { return rows_.again(); }
  CsvReader& reader() const { return rows_.reader(); }

  absl::Status Begin();
  absl::Status LookAtTimes();
  absl::Status FindStep(const std::vector<int64_t>& times);
  absl::Status CheckSeries(const OrderedRows::FirstTimes& first);
  void MakeSeries();
  void Learn(int64_t time_ns);
  absl::Status Place();
  bool IsOld(int64_t time_ns) const;
  std::string Written(int64_t time_ns) const;  // in the file's format
  void TellOfGap(const std::string& time);
  void FillValues(absl::Span<const double> values, Row& row) const;
  void Fill(client::RegularRow regular, Row& row);
  absl::StatusOr<bool> FindInFile(const SessionPlace& place);
  absl::Status CheckTimes(const SessionPlace& place) const;

  OrderedRows rows_;
  const RegularTimesOptions times_;
  client::RegularOptions grid_;
  std::vector<int64_t> first_times_;  // while a live source has not shown its step
  std::unique_ptr<client::RegularSeries> series_;
  std::optional<int64_t> first_time_ns_;  // in the file, as far as looked at
  std::optional<int64_t> behind_ns_;      // the session has the rows up to this time
  std::atomic<uint64_t> base_seq_ = 0;    // the seq of the first row after Begin
  uint64_t next_seq_ = 0;
  uint64_t known_rows_ = 0;  // left out: the session has them
  CsvRow csv_row_;
  absl::Status failed_;  // behind the rows that are ready
  bool ended_ = false, told_gap_ = false, few_times_ = false;
  bool counts_rows_ = false;  // most times come more than once
};

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_SOURCES_REGULAR_SOURCE_H_
