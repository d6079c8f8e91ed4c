#include "client/cli/sources/events/event_reader.h"

#include <cmath>
#include <utility>

#include "aaren/client/event_marks.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "client/cli/sources/csv/csv_cell.h"
#include "client/cli/sources/time/timestamp.h"
#include "client/cli/terminal/report.h"

namespace aaren::cli {
namespace {

constexpr size_t kMostFormatRows = 20'000;   // CSV files of points have the same bound
constexpr double kMostNanoseconds = 9.2e18;  // 292 years

}  // namespace

absl::Status CheckEventFileOptions(const EventFileOptions& options) {
  if (options.time_unit && !options.time_format.empty()) {
    return absl::InvalidArgumentError("--time_unit and --time_format exclude each other: a unit is of plain numbers");
  }
  if (options.time_unit && *options.time_unit <= absl::ZeroDuration()) {
    return absl::InvalidArgumentError("--time_unit is not above 0");
  }
  return options.time_format.empty() ? absl::OkStatus() : TimeFormat::FromName(options.time_format).status();
}

absl::StatusOr<std::unique_ptr<EventReader>> EventReader::Open(std::string name, ByteSource bytes,
                                                               const EventFileOptions& options, bool live) {
  auto reader = std::unique_ptr<EventReader>(new EventReader(std::move(name), options, live));
  absl::StatusOr<std::unique_ptr<EventRecords>> records = EventRecords::Open(std::move(bytes), options.columns);
  if (absl::IsInvalidArgument(records.status())) return reader->Error(records.status().message());
  if (!records.ok()) return records.status();
  reader->records_ = *std::move(records);
  const absl::Status found = reader->FindFormat();
  if (!found.ok()) return found;
  return reader;
}

absl::Status EventReader::Error(absl::string_view what) const {
  return absl::InvalidArgumentError(absl::StrCat(name_, ": ", what));
}

absl::Status EventReader::CellError(uint64_t line, absl::string_view column, absl::string_view cell,
                                    absl::string_view what) const {
  return Error(absl::StrCat("line ", line, ", column \"", column, "\": ", Excerpt(cell), " ", what));
}

absl::Status EventReader::FindFormat() {
  if (options_.time_unit) return absl::OkStatus();
  if (!options_.time_format.empty()) {
    absl::StatusOr<TimeFormat> format = TimeFormat::FromName(options_.time_format);
    if (format.ok()) format_ = *std::move(format);
    return format.status();
  }
  TimeFormatGuess guess;
  EventRecord record;
  bool more = true;
  while (more && first_.size() < (live_ ? 1 : kMostFormatRows)) {
    const absl::StatusOr<bool> any = records_->Next(record);
    // Next meets the error again, in its place.
    if (!any.ok() || !*any) break;
    more = !record.fault.ok() || guess.Add(record.time);
    first_.push_back(std::move(record));
  }
  format_ = guess.best();
  if (!guess.ambiguous().empty()) Say(absl::StrCat(name_, ": ", guess.ambiguous()));
  return absl::OkStatus();
}

absl::StatusOr<bool> EventReader::NextRecord(EventRecord& record) {
  if (first_.empty()) return records_->Next(record);
  record = std::move(first_.front());
  first_.pop_front();
  return true;
}

absl::StatusOr<int64_t> EventReader::TimeOf(const std::string& text) {
  if (options_.time_unit) {
    double number;
    if (!absl::SimpleAtod(text, &number)) return absl::InvalidArgumentError("is no number, as --time_unit expects");
    const double ns = std::round(number * absl::ToDoubleNanoseconds(*options_.time_unit));
    if (!(std::abs(ns) <= kMostNanoseconds)) return absl::InvalidArgumentError("is more than 292 years from 0");
    return static_cast<int64_t>(ns);
  }
  if (!format_) {
    // The first row of a pipe may be faulty, and tells no format.
    TimeFormatGuess guess;
    guess.Add(text);
    format_ = guess.best();
  }
  const std::optional<int64_t> time = format_ ? format_->Parse(text) : std::nullopt;
  if (time) return *time;
  if (!format_) return absl::InvalidArgumentError(absl::StrCat("is no time; tried were ", TimeFormatGuess::Tried()));
  return absl::InvalidArgumentError(
      absl::StrCat("is no time of the form ", format_->name(), " of the first rows; --time_format names another"));
}

absl::Status EventReader::Read(EventRecord record, Event& event) {
  const EventColumns& columns = options_.columns;
  if (!record.fault.ok()) return Error(record.fault.message());
  const absl::StatusOr<int64_t> time = TimeOf(record.time);
  if (!time.ok()) {
    return CellError(record.line, columns.time.empty() ? "time" : columns.time, record.time, time.status().message());
  }
  if (record.mark.size() > client::kMostMarkBytes) {
    return CellError(record.line, columns.mark.empty() ? "mark" : columns.mark, record.mark,
                     absl::StrCat("has ", record.mark.size(), " bytes; a mark has at most ", client::kMostMarkBytes));
  }
  event = {.line = record.line,
           .time = std::move(record.time),
           .time_ns = *time,
           .mark = std::move(record.mark),
           .series = std::move(record.series)};
  return absl::OkStatus();
}

absl::StatusOr<bool> EventReader::Next(Event& event) {
  for (;;) {
    EventRecord record;
    const absl::StatusOr<bool> any = NextRecord(record);
    if (absl::IsInvalidArgument(any.status())) return Error(any.status().message());
    if (!any.ok() || !*any) return any;
    const absl::Status status = Read(std::move(record), event);
    if (status.ok()) return true;
    if (!live_) return status;
    if (faults_.rows++ == 0) faults_.first = std::string(status.message());
  }
}

std::string EventReader::Written(int64_t time_ns) const {
  if (options_.time_unit) {
    return absl::StrCat(static_cast<double>(time_ns) / absl::ToDoubleNanoseconds(*options_.time_unit));
  }
  return format_ ? format_->Format(time_ns) : FormatTimestamp(time_ns);
}

}  // namespace aaren::cli
