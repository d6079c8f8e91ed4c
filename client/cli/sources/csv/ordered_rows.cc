#include "client/cli/sources/csv/ordered_rows.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/cli/terminal/report.h"

namespace aaren::cli {
namespace {

constexpr size_t kMostTimes = 4096;  // in which order and step are found

}  // namespace

OrderedRows::OrderedRows(std::string name, BytesOpener opener, bool again, CsvOptions csv)
    : name_(std::move(name)), opener_(std::move(opener)), again_(again), csv_(std::move(csv)) {
  // OrderedRows judge the order of the times, and the reader does not.
  csv_.any_order = true;
}

absl::StatusOr<std::unique_ptr<CsvReader>> OrderedRows::OpenReader() const {
  absl::StatusOr<ByteSource> bytes = opener_();
  if (!bytes.ok()) return bytes.status();
  return CsvReader::Open(name_, *std::move(bytes), csv_, /*live=*/!again_);
}

absl::Status OrderedRows::Begin() {
  next_ = 0;
  // A turned or sorted file is in memory.
  if (!rows_.empty()) return absl::OkStatus();
  absl::StatusOr<std::unique_ptr<CsvReader>> reader = OpenReader();
  if (!reader.ok()) return reader.status();
  reader_ = *std::move(reader);
  csv_.found_format = reader_->time_format();  // another beginning reads times the same way
  return absl::OkStatus();
}

absl::StatusOr<OrderedRows::FirstTimes> OrderedRows::LookAtTimes() {
  FirstTimes first;
  std::vector<int64_t>& times = first.sorted;
  const auto look = [&](int64_t time_ns) {
    times.push_back(time_ns);
    return times.size() < kMostTimes;
  };
  if (csv_.only_series.empty()) {
    reader_->LookAtTimes(look);
  } else if (const absl::StatusOr<std::unique_ptr<CsvReader>> other = OpenReader(); other.ok()) {
    // The series may begin far behind the file's beginning. An error comes again where the row is read.
    for (CsvRow row; (*other)->Next(row).value_or(false) && look(row.time_ns);) {
    }
  }
  size_t forward = 0, back = 0;
  for (size_t i = 1; i < times.size(); ++i)
    ++(times[i] > times[i - 1] ? forward : times[i] < times[i - 1] ? back : first.again);
  // The hour that comes twice at the end of summer time is alone.
  times_repeat_ = first.again > 1 && 10 * first.again > times.size();
  // Nine times of ten go back: the newest rows come first, and some rows are out of place.
  const bool descending = back > 0 && 10 * forward <= forward + back;
  if (descending && !again_) {
    return absl::InvalidArgumentError(absl::StrCat(
        name_, ": the newest rows come first, and a pipe cannot be turned; give the file with --csv=FILE"));
  }
  if (descending) {
    order_ = Order::kDescending;
  } else if (again_ && back > 1 && 10 * back >= forward + back) {
    // A tenth of the times goes back: too many for late rows.
    order_ = Order::kNone;
  }
  // A step is found from times in order, also in a file without order.
  std::sort(times.begin(), times.end());
  return first;
}

absl::Status OrderedRows::PutInOrder() {
  if (order_ == Order::kAscending) return absl::OkStatus();
  Say(absl::StrCat(name_, order_ == Order::kDescending ? ": the newest rows come first: turned"
                                                       : ": rows are in no order of time: sorted"));
  absl::StatusOr<bool> any;
  CsvRow row;
  while ((any = reader_->Next(row)).ok() && *any) rows_.push_back(row);
  if (!any.ok()) return any.status();
  // Turned before the stable sort: rows of equal times stay in the order of measurement.
  if (order_ == Order::kDescending) std::reverse(rows_.begin(), rows_.end());
  std::stable_sort(rows_.begin(), rows_.end(), [](const CsvRow& a, const CsvRow& b) { return a.time_ns < b.time_ns; });
  return absl::OkStatus();
}

absl::StatusOr<bool> OrderedRows::Next(CsvRow& row) {
  if (rows_.empty()) return reader_->Next(row);
  if (next_ == rows_.size()) return false;
  row = rows_[next_++];
  return true;
}

}  // namespace aaren::cli
