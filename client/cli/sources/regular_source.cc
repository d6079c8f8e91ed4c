#include "client/cli/sources/regular_source.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/cli/sources/time/timestamp.h"
#include "client/cli/terminal/report.h"

namespace aaren::cli {
namespace {

using client::Aggregate;
using client::Placed;
using client::RegularSeries;
using client::TimeStep;

constexpr int64_t kHour = 3'600'000'000'000;
constexpr size_t kFewestTimes = 4;   // that show a live source's step
constexpr size_t kMostLearned = 64;  // rows of a live source after which it is taken to have none
// In a file the later rows are there already: waiting for a late row takes no time.
constexpr uint64_t kFileLateSteps = 100;

absl::StatusOr<Aggregate> ToAggregate(const std::string& name) {
  constexpr std::pair<absl::string_view, Aggregate> kNames[] = {{"first", Aggregate::kFirst},
                                                                {"last", Aggregate::kLast},
                                                                {"mean", Aggregate::kMean},
                                                                {"sum", Aggregate::kSum},
                                                                {"max", Aggregate::kMax}};
  for (const auto& [known, aggregate] : kNames) {
    if (name == known) return aggregate;
  }
  return absl::InvalidArgumentError(absl::StrCat("--aggregate=", name, " is none of first, last, mean, sum, max"));
}

std::string Times(uint64_t count, absl::string_view what) {
  return absl::StrCat(count, " ", what, count == 1 ? "" : "s");
}

}  // namespace

absl::Status CheckRegularTimes(const RegularTimesOptions& options) {
  if (!options.step.empty()) {
    const absl::Status step = TimeStep::Parse(options.step).status();
    if (!step.ok()) return absl::InvalidArgumentError(absl::StrCat("--step=", options.step, ": ", step.message()));
  }
  if (options.late != "skip" && options.late != "stop") {
    return absl::InvalidArgumentError(absl::StrCat("--late=", options.late, " is neither skip nor stop"));
  }
  return options.aggregate.empty() ? absl::OkStatus() : ToAggregate(options.aggregate).status();
}

RegularSource::RegularSource(OrderedRows rows, RegularTimesOptions times)
    : rows_(std::move(rows)), times_(std::move(times)) {}

absl::StatusOr<std::unique_ptr<RegularSource>> RegularSource::Open(std::string name, Opener opener, bool again,
                                                                   CsvOptions csv, RegularTimesOptions times) {
  auto source = std::unique_ptr<RegularSource>(
      new RegularSource({std::move(name), std::move(opener), again, std::move(csv)}, std::move(times)));
  absl::Status status = source->Begin();
  if (!status.ok()) return status;
  for (const std::string& remark : source->reader().remarks()) Say(remark);
  status = source->LookAtTimes();
  if (status.ok()) status = source->rows_.PutInOrder();
  if (!status.ok()) return status;
  source->MakeSeries();
  return source;
}

absl::Status RegularSource::Begin() {
  known_rows_ = 0;
  next_seq_ = base_seq_;
  ended_ = false;
  failed_ = absl::OkStatus();
  if (rows_.begun()) MakeSeries();
  return rows_.Begin();
}

absl::Status RegularSource::LookAtTimes() {
  if (!has_times()) return absl::OkStatus();
  const absl::StatusOr<OrderedRows::FirstTimes> first = rows_.LookAtTimes();
  if (!first.ok()) return first.status();
  if (!first->sorted.empty()) first_time_ns_ = first->sorted.front();
  absl::Status status = CheckSeries(*first);
  return status.ok() ? FindStep(first->sorted) : status;
}

absl::Status RegularSource::CheckSeries(const OrderedRows::FirstTimes& first) {
  const std::vector<int64_t>& sorted = first.sorted;
  size_t repeated = 0;
  for (size_t i = 1; i < sorted.size(); ++i) repeated += sorted[i] == sorted[i - 1] ? 1 : 0;
  const bool most = sorted.size() >= kFewestTimes && 2 * repeated >= sorted.size();
  if (!most || !rows_.options().series_column.empty()) return absl::OkStatus();
  const std::string column = reader().ColumnOfSeries();
  if (!column.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(name(), ": most times come more than once, as of several series in one file; --series_column=\"",
                     column, "\" makes a session of each"));
  }
  if (2 * first.again < sorted.size() || !times_.step.empty() || !times_.aggregate.empty()) return absl::OkStatus();
  counts_rows_ = true;
  Say(absl::StrCat(
      name(),
      ": most times come more than once, so rows are counted as they come; --aggregate=mean joins those of "
      "one step, --series_column=NAME parts those of several series"));
  return absl::OkStatus();
}

absl::Status RegularSource::FindStep(const std::vector<int64_t>& times) {
  if (counts_rows_) return absl::OkStatus();
  const TimeStep found = TimeStep::Find(times);
  if (times_.step.empty()) {
    grid_.step = found;
  } else {
    const absl::StatusOr<TimeStep> step = TimeStep::Parse(times_.step);
    if (!step.ok()) return step.status();
    grid_.step = *step;
    // Rows that come more often than the step share a step: each belongs to the step in which it lies.
    grid_.within_step = found.Nanoseconds() == 0 || 4 * found.Nanoseconds() < 3 * step->Nanoseconds();
  }
  if (grid_.step.unit != TimeStep::Unit::kNone) {
    if (times_.step.empty())
      Say(absl::StrCat(name(), ": a row every ", grid_.step.ToString(), "; --step says otherwise"));
  } else if (times_.step.empty() && times.size() >= kFewestTimes && (again() || times.size() >= kMostLearned)) {
    Say(absl::StrCat(name(),
                     ": times have no regular step, so rows are counted as they come; --step=1h makes a row of "
                     "every hour"));
  }
  few_times_ = times.size() < kFewestTimes;
  return absl::OkStatus();
}

void RegularSource::MakeSeries() {
  client::RegularOptions& grid = grid_;
  const bool waits = again() || !times_.aggregate.empty();
  grid.aggregate =
      times_.aggregate.empty() ? (waits ? Aggregate::kLast : Aggregate::kFirst) : *ToAggregate(times_.aggregate);
  // A live forecast waits for nothing, unless the user wants the rows of a step joined.
  grid.at_once = !waits;
  // Times with a zone have no change of clocks, and an hour that comes twice shows none where hours often come twice.
  const bool shown = grid.step.Nanoseconds() < kHour || !rows_.times_repeat();
  grid.local_times = shown && reader().time_format() && !reader().time_format()->has_zone();
  grid.late_steps = again() ? kFileLateSteps : 0;
  if (times_.lateness && grid.step.unit != TimeStep::Unit::kNone) {
    // Rounded up: a part of a step takes a whole step of waiting.
    grid.late_steps = static_cast<uint64_t>(
        std::max<int64_t>(0, (absl::ToInt64Nanoseconds(*times_.lateness) - 1) / grid.step.Nanoseconds() + 1));
    if (*times_.lateness == absl::ZeroDuration()) grid.late_steps = 0;
  }
  grid.covariates = covariates().past + covariates().future;
  series_ = std::make_unique<RegularSeries>(columns().size() + grid.covariates, grid);
  if (behind_ns_) series_->GoOnBehind(*behind_ns_);
}

// A live source shows its step by and by.
void RegularSource::Learn(int64_t time_ns) {
  if (again() || counts_rows_ || !times_.step.empty() || grid_.step.unit != TimeStep::Unit::kNone ||
      first_times_.size() >= kMostLearned) {
    return;
  }
  first_times_.push_back(time_ns);
  // Late rows would show a false step.
  if (first_times_.size() < kFewestTimes || !std::is_sorted(first_times_.begin(), first_times_.end())) return;
  const TimeStep found = TimeStep::Find(first_times_);
  if (found.unit == TimeStep::Unit::kNone) return;
  Say(absl::StrCat(name(), ": a row every ", found.ToString(), "; --step says otherwise"));
  grid_.step = found;
  MakeSeries();
  series_->GoOnBehind(first_times_[first_times_.size() - 2]);  // the row before has passed
}

bool RegularSource::IsOld(int64_t time_ns) const {
  if (!behind_ns_ || time_ns <= *behind_ns_) return behind_ns_.has_value();
  return grid_.step.unit != TimeStep::Unit::kNone && grid_.step.Between(*behind_ns_, time_ns, grid_.within_step) <= 0;
}

absl::Status RegularSource::Place() {
  if (behind_ns_ && IsOld(csv_row_.time_ns)) {
    ++known_rows_;
    return absl::OkStatus();
  }
  Learn(csv_row_.time_ns);
  const Placed placed = series_->Add(csv_row_.time_ns, csv_row_.values, csv_row_.time);
  if (placed != Placed::kLate || times_.late != "stop") return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      name(), ": line ", csv_row_.line, ": \"", csv_row_.time,
      "\" is late: later rows have passed; --late=skip leaves such rows out, --lateness=DURATION waits for them"));
}

void RegularSource::TellOfGap(const std::string& time) {
  told_gap_ = true;
  Say(absl::StrCat(name(), ": no row at \"", time, "\", where steps are ", grid_.step.ToString(),
                   " long: a missing value is taken, as at every such step; --step=none counts rows instead"));
}

std::string RegularSource::Written(int64_t time_ns) const {
  const std::optional<TimeFormat>& format = reader().time_format();
  return format ? format->Format(time_ns) : FormatTimestamp(time_ns);
}

void RegularSource::FillValues(absl::Span<const double> values, Row& row) const {
  const auto covariates = values.begin() + static_cast<ptrdiff_t>(columns().size());
  row.values.assign(values.begin(), covariates);
  row.covariates.assign(covariates, values.end());
}

void RegularSource::Fill(client::RegularRow regular, Row& row) {
  row.time_ns = regular.time_ns;
  row.time = std::move(regular.label);
  // A filled step has no text in the file: its time is written in the file's format.
  if (row.time.empty() && has_times()) row.time = Written(regular.time_ns);
  FillValues(regular.values, row);
  if (regular.filled && !told_gap_) TellOfGap(row.time);
}

absl::StatusOr<bool> RegularSource::Next(Row& row) {
  client::RegularRow regular;
  while (!series_->Next(regular)) {
    if (!failed_.ok()) return failed_;
    if (ended_) return false;
    const absl::StatusOr<bool> any = rows_.Next(csv_row_);
    // An interrupted wait is no end of the source: the steps that wait for rows must not pass.
    if (absl::IsCancelled(any.status())) return any;
    if (!any.ok() || !*any) {
      failed_ = any.status();
      ended_ = true;
      series_->End();
    } else if (has_times()) {
      failed_ = Place();
    } else {
      row.time.clear();
      FillValues(csv_row_.values, row);
      ++next_seq_;
      return true;
    }
  }
  Fill(std::move(regular), row);
  ++next_seq_;
  return true;
}

// True if the file begins with the session's rows: the source then reads on behind them.
absl::StatusOr<bool> RegularSource::FindInFile(const SessionPlace& place) {
  Row row;
  while (next_seq_ < place.next_seq) {
    const absl::StatusOr<bool> any = Next(row);
    if (!any.ok()) return any.status();
    if (!*any) return false;
  }
  // Equal times after as many rows: the file has the session's rows.
  return row.time_ns == *place.last_time_ns;
}

// REQUIRES: place.last_time_ns.
absl::Status RegularSource::CheckTimes(const SessionPlace& place) const {
  if (!first_time_ns_) return absl::OkStatus();
  if (times_.from_start && *first_time_ns_ < *place.last_time_ns) {
    return absl::InvalidArgumentError(absl::StrCat(
        name(), " begins at ", Written(*first_time_ns_), ", and the session's last row is of ",
        Written(*place.last_time_ns), "; without --from_start the session takes the rows behind that time"));
  }
  // The record has forecasts of rows that the server has lost. A file that begins later cannot bring the rows again.
  if (place.delivered_seq > place.next_seq && grid_.step.unit != TimeStep::Unit::kNone &&
      grid_.step.Between(*place.last_time_ns, *first_time_ns_, grid_.within_step) > 1) {
    return absl::DataLossError(absl::StrCat("the server went back to row ", place.next_seq, ", and ", name(),
                                            " begins behind it; stream the file before it once more"));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> RegularSource::GoOn(const SessionPlace& place) {
  const bool times = has_times() && place.last_time_ns && place.next_seq > 0;
  if (!times && !(times_.from_start && place.next_seq > 0)) {
    absl::Status sought = Seek(place.next_seq);
    if (absl::IsOutOfRange(sought)) {
      sought = absl::OutOfRangeError(
          absl::StrCat(sought.message(), "; --from_start takes its first row for the session's next"));
    }
    if (!sought.ok()) return sought;
    return std::string();
  }
  if (times && again() && !times_.from_start) {
    const absl::StatusOr<bool> found = FindInFile(place);
    if (!found.ok()) return found.status();
    if (*found) return std::string();
  }
  // Too few rows tell no step, and the session knows the step of its tokens.
  if (grid_.step.unit == TimeStep::Unit::kNone && times_.step.empty() && few_times_) {
    grid_.step = TimeStep::OfNanoseconds(place.step_ns);
  }
  absl::Status possible = times ? CheckTimes(place) : absl::OkStatus();
  if (!possible.ok()) return possible;
  base_seq_ = next_seq_ = place.next_seq;
  if (times && !times_.from_start) behind_ns_ = place.last_time_ns;
  if (again()) {
    absl::Status begun = Begin();
    if (!begun.ok()) return begun;
  }
  MakeSeries();
  if (times_.from_start) return absl::StrCat("; ", name(), " is taken from its first row");
  return absl::StrCat(", with the rows of ", name(), " behind ", Written(*place.last_time_ns));
}

absl::Status RegularSource::Seek(uint64_t seq) {
  if (seq < next_seq_) {
    if (!again()) return absl::DataLossError(absl::StrCat(name(), " cannot be read again from row ", seq));
    if (seq < base_seq_) {
      return absl::DataLossError(
          absl::StrCat("the server wants row ", seq, " again, and ", name(), " begins with row ", base_seq_.load()));
    }
    absl::Status status = Begin();
    if (!status.ok()) return status;
  }
  Row row;
  while (next_seq_ < seq) {
    const absl::StatusOr<bool> any = Next(row);
    if (!any.ok()) return any.status();
    if (!*any) {
      return absl::OutOfRangeError(absl::StrCat(name(), " ends after ", next_seq_, " rows; row ", seq, " is wanted"));
    }
  }
  return absl::OkStatus();
}

std::vector<std::string> RegularSource::Summary() const {
  std::vector<std::string> said;
  const client::RegularCounts& counts = series_->counts();
  const CsvFaults& faults = reader().faults();
  const auto say = [&](auto... what) { said.push_back(absl::StrCat(name(), ": ", what...)); };
  if (known_rows_ > 0) say(Times(known_rows_, "row"), " left out that the session has already");
  if (counts.filled > 0) say(Times(counts.filled, "step"), " of ", counts.rows, " had no row: missing values");
  if (counts.joined > 0) say(Times(counts.joined, "row"), " joined to others of their step (--aggregate)");
  if (counts.repeated > 0) {
    say(Times(counts.repeated, "row"),
        " left out: the step had passed with another row; --aggregate=last waits for a step's end");
  }
  if (counts.late > 0) say(Times(counts.late, "row"), " left out for being late; --lateness=DURATION waits for them");
  if (counts.long_gaps > 0)
    say(Times(counts.long_gaps, "gap"), " of more than ", grid_.longest_gap, " steps not filled");
  if (counts.odd > 0) say(Times(counts.odd, "row"), " left out: far in the future, and the next row did not agree");
  if (faults.large > 0)
    say(Times(faults.large, "value"), " beyond ", kLargestValue, ": forecasts take ", kLargestValue, " in their place");
  if (faults.cells > 0)
    say(Times(faults.cells, "cell"), " without a number taken as missing; the first: ", faults.first);
  if (faults.cells == 0 && faults.rows > 0) say("the first row that was left out: ", faults.first);
  if (faults.rows > 0) say(Times(faults.rows, "row"), " left out that could not be read");
  return said;
}

}  // namespace aaren::cli
