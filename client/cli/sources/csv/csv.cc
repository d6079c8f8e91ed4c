#include "client/cli/sources/csv/csv.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "client/cli/sources/csv/csv_cell.h"
#include "client/cli/sources/text_bytes.h"

namespace aaren::cli {
namespace {

constexpr size_t kMostGuessRows = 20'000;  // two weeks of minutes: by then the 13th of a month has come
constexpr double kMissingValue = std::numeric_limits<double>::quiet_NaN();

// A file descriptor that closes itself.
class File {
 public:
  explicit File(int fd) : fd_(fd) {}
  ~File() { ::close(fd_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

// True if --missing names the cell, as a number or as a word.
bool IsNamedMissing(absl::string_view text, const double* value, const std::vector<std::string>& missing) {
  return std::any_of(missing.begin(), missing.end(), [&](const std::string& one) {
    double number;
    // Numbers are compared as numbers: --missing=-999 also names -999.0.
    if (value != nullptr && absl::SimpleAtod(one, &number)) return *value == number;
    return absl::EqualsIgnoreCase(text, one);
  });
}

}  // namespace

absl::Status CheckCsvOptions(const CsvOptions& options) {
  const absl::Status dialect = CheckDialect(options);
  if (!dialect.ok() || options.time_format.empty()) return dialect;
  return TimeFormat::FromName(options.time_format).status();
}

CsvReader::CsvReader(std::string name, ByteSource source, const CsvOptions& options, bool live)
    : name_(std::move(name)), options_(options), live_(live), records_(TextBytes(std::move(source))) {}

absl::StatusOr<std::unique_ptr<CsvReader>> CsvReader::Open(std::string name, ByteSource source,
                                                           const CsvOptions& options, bool live) {
  auto reader = std::unique_ptr<CsvReader>(new CsvReader(std::move(name), std::move(source), options, live));
  const absl::Status status = reader->ReadHeader();
  if (!status.ok()) return status;
  return reader;
}

absl::Status CsvReader::Error(absl::string_view what) const {
  return absl::InvalidArgumentError(absl::StrCat(name_, ": ", what));
}

absl::Status CsvReader::CellError(size_t field, absl::string_view what) const {
  return Error(absl::StrCat("line ", records_.line(), ", column \"", columns_.header[field],
                            "\": ", Excerpt(fields_[field]), " ", what));
}

absl::StatusOr<bool> CsvReader::NextRecord() {
  absl::StatusOr<bool> any = records_.Next(fields_);
  if (any.ok() || any.status().code() != absl::StatusCode::kInvalidArgument) return any;
  return Error(any.status().message());
}

absl::Status CsvReader::ReadHeader() {
  dialect_ = FindDialect(records_, options_, live_);
  for (const std::string& remark : dialect_.remarks) remarks_.push_back(absl::StrCat(name_, ": ", remark));
  if (dialect_.header.empty()) {
    const absl::StatusOr<bool> any = NextRecord();
    if (!any.ok()) return any.status();
    return Error("the file is empty; a header line with the names of the columns is expected");
  }
  if (dialect_.header.size() == 1 && dialect_.rows.empty() && Trimmed(dialect_.header[0]).empty()) {
    return Error("line 1 is blank; a header line with the names of the columns is expected");
  }
  const size_t records = dialect_.skip + (dialect_.has_header ? 1 : 0) + (dialect_.has_units ? 1 : 0);
  for (size_t i = 0; i < records; ++i) {
    const absl::StatusOr<bool> any = NextRecord();
    if (!any.ok()) return any.status();
  }
  absl::StatusOr<CsvColumns> columns = ChooseColumns(dialect_, options_, live_);
  if (!columns.ok()) {
    // An error about a flag does not name the file.
    const bool file = !absl::StartsWith(columns.status().message(), "--");
    return file ? Error(columns.status().message()) : columns.status();
  }
  columns_ = *std::move(columns);
  for (const std::string& remark : columns_.remarks) remarks_.push_back(absl::StrCat(name_, ": ", remark));
  return ChooseFormat();
}

absl::Status CsvReader::ChooseFormat() {
  // A file that is read again keeps the format of the first reading.
  time_format_ = options_.found_format;
  if (!has_times() || time_format_) return absl::OkStatus();
  if (!options_.time_format.empty()) {
    absl::StatusOr<TimeFormat> format = TimeFormat::FromName(options_.time_format);
    if (format.ok()) time_format_ = *std::move(format);
    return format.status();
  }
  TimeFormatGuess guess;
  size_t rows = 0;
  std::vector<absl::string_view> row;
  records_.LookAhead(live_ ? 1 : CsvRecordReader::kAll, [&](const std::vector<absl::string_view>& fields) {
    row = fields;
    return !FitToHeader(row) || (guess.Add(columns_.TimeOf(row)) && ++rows < kMostGuessRows);
  });
  time_format_ = guess.best();
  if (!guess.ambiguous().empty()) remarks_.push_back(absl::StrCat(name_, ": ", guess.ambiguous()));
  return absl::OkStatus();
}

void CsvReader::LookAtTimes(const std::function<bool(int64_t time_ns)>& look) {
  if (!time_format_) return;
  // A copy, since a format remembers the pattern that fitted last.
  TimeFormat format = *time_format_;
  std::vector<absl::string_view> row;
  records_.LookAhead(live_ ? 1 : CsvRecordReader::kAll, [&](const std::vector<absl::string_view>& fields) {
    row = fields;
    // A ragged row shows no time, and does not end the look.
    if (!FitToHeader(row)) return true;
    const std::optional<int64_t> time = format.Parse(columns_.TimeOf(row));
    return !time || look(*time);
  });
}

std::string CsvReader::ColumnOfSeries() const {
  if (!has_times() || columns_.tells_series_apart) return "";
  absl::flat_hash_set<std::string> times;
  std::vector<std::vector<absl::string_view>> rows;
  for (const std::vector<std::string>& row : dialect_.rows) {
    rows.emplace_back(row.begin(), row.end());
    times.insert(columns_.TimeOf(rows.back()));
  }
  // A time comes at least twice on average, as in a file of several series.
  if (rows.size() < 4 || 2 * times.size() > rows.size()) return "";
  for (size_t field = 0; field < columns_.header.size(); ++field) {
    absl::flat_hash_set<std::string> both, alone;
    for (const std::vector<absl::string_view>& row : rows) {
      both.insert(absl::StrCat(columns_.TimeOf(row), "\n", row[field]));
      alone.insert(std::string(row[field]));
    }
    // The column of the series makes each time unique, and its own texts repeat.
    const bool time = std::count(columns_.time_fields.begin(), columns_.time_fields.end(), field) > 0;
    if (!time && both.size() == rows.size() && alone.size() > 1 && 2 * alone.size() <= rows.size())
      return columns_.header[field];
  }
  return "";
}

// Empty fields behind those of the header are cut off.
bool CsvReader::FitToHeader(std::vector<absl::string_view>& fields) const {
  const size_t width = columns_.header.size(), from = dialect_.halves_from;
  if (from < width && fields.size() == 2 * width - from) JoinHalves(from, fields);
  while (fields.size() > width && Trimmed(fields.back()).empty()) fields.pop_back();
  return fields.size() == width;
}

// A blank line is no row, unless an empty line is how this file writes a missing value. Files that were joined repeat
// their header.
bool CsvReader::IsNoRow() const {
  if (fields_.size() == 1 && columns_.header.size() > 1 && Trimmed(fields_[0]).empty()) return true;
  return dialect_.has_header &&
         std::equal(fields_.begin(), fields_.end(), dialect_.header.begin(), dialect_.header.end());
}

absl::StatusOr<bool> CsvReader::NextFields() {
  do {
    const absl::StatusOr<bool> any = NextRecord();
    if (!any.ok() || !*any) return any;
  } while (IsNoRow());
  return true;
}

absl::StatusOr<bool> CsvReader::Next(CsvRow& row) {
  for (;;) {
    const uint64_t before = records_.line();
    const absl::StatusOr<bool> any = NextFields();
    // A record with a faulty quote is passed; a quote that is never closed takes all further rows with it.
    const bool passed = live_ && absl::IsInvalidArgument(any.status()) && records_.line() > before;
    if (!any.ok() && !passed) return any.status();
    // An end behind rows is the end; a header alone is a mistake.
    if (!passed && !*any) return any_row_ ? absl::StatusOr<bool>(false) : Error("there is a header line, but no rows");
    const absl::Status status = passed ? any.status() : ReadRow(row);
    if (absl::IsNotFound(status)) continue;  // a row of another series
    any_row_ = true;
    if (status.ok()) return true;
    // A file can be mended and read again; a live source goes on, and counts the fault.
    if (!live_) return status;
    // The summary quotes the first fault alone.
    if (faults_.cells + faults_.rows++ == 0) faults_.first = std::string(status.message());
  }
}

absl::Status CsvReader::ReadRow(CsvRow& row) {
  row.line = records_.line();
  const size_t had = fields_.size();
  if (!FitToHeader(fields_)) {
    return Error(absl::StrCat("line ", row.line, " has ", had, had == 1 ? " field" : " fields", "; the header has ",
                              columns_.header.size(),
                              had > columns_.header.size() && dialect_.delimiter == ','
                                  ? "; a decimal comma or a name with a comma has to be in quotes"
                                  : ""));
  }
  if (columns_.tells_series_apart) {
    series_ = Readable(Trimmed(fields_[*columns_.tells_series_apart]));
    if (series_.empty()) return CellError(*columns_.tells_series_apart, "names no series");
    // A row of another series: Next goes on.
    if (!options_.only_series.empty() && series_ != options_.only_series) return absl::NotFoundError("");
  }
  const absl::Status status = ReadTime(row);
  if (!status.ok()) return status;
  row.values.resize(columns_.fields.size());
  for (size_t i = 0; i < columns_.fields.size(); ++i) {
    const absl::StatusOr<double> value = ReadValue(columns_.fields[i]);
    if (!value.ok()) return value.status();
    row.values[i] = *value;
  }
  return absl::OkStatus();
}

absl::Status CsvReader::ReadTime(CsvRow& row) {
  if (!has_times()) return absl::OkStatus();
  const size_t field = columns_.time_fields[0];
  const std::string text = columns_.TimeOf(fields_);
  if (!time_format_ && !live_) return CellError(field, absl::StrCat("is not a time; tried ", TimeFormatGuess::Tried()));
  if (!time_format_) {  // the first row had none
    TimeFormatGuess guess;
    guess.Add(text);
    time_format_ = guess.best();
  }
  const std::optional<int64_t> time = time_format_ ? time_format_->Parse(text) : std::nullopt;
  if (!time) {
    return CellError(field, absl::StrCat("is not a time as ", time_format_ ? time_format_->name() : "any",
                                         "; --time_format=FORMAT says how times are written"));
  }
  if (*time < last_time_ns_ && !options_.any_order) {
    return CellError(field, absl::StrCat("is before \"", last_time_, "\", the time of the row above"));
  }
  row.time_ns = last_time_ns_ = *time;
  row.time = last_time_ = text;
  return absl::OkStatus();
}

absl::Status CsvReader::TextError(size_t field) const {
  const absl::string_view text = fields_[field];
  double number;
  // The usual causes are tried, so that the error can name the flag that helps.
  const bool comma = dialect_.numbers.decimal == '.' && ReadCell(text, {',', '.'}, number) == Cell::kNumber;
  if (comma) return CellError(field, "is not a number; --decimal=, reads a comma as the decimal mark");
  if (TimeFormatGuess::IsCalendarTime(text)) {
    return CellError(field, absl::StrCat("is a time and not a number; --time_column=\"", columns_.header[field],
                                         "\" takes the column for the times"));
  }
  return CellError(field, absl::StrCat("is not a number; --missing=WORD takes a word for a missing value",
                                       columns_.named ? "" : ", --columns names those that are"));
}

absl::StatusOr<double> CsvReader::ReadValue(size_t field) {
  double value = kMissingValue;
  const Cell cell = ReadCell(fields_[field], dialect_.numbers, value);
  if (cell == Cell::kMissing) return kMissingValue;
  const bool named =
      !options_.missing.empty() &&
      IsNamedMissing(Trimmed(fields_[field]), cell == Cell::kNumber ? &value : nullptr, options_.missing);
  if (named) return kMissingValue;
  if (cell == Cell::kNumber) {
    faults_.large += std::abs(value) > kLargestValue ? 1 : 0;
    return value;
  }
  absl::Status error = cell == Cell::kInfinite
                           ? CellError(field, "is infinite; --missing=WORD takes a word for a missing value")
                       : cell == Cell::kTooLarge ? CellError(field, "is too large: forecasts end at 3.4e38")
                                                 : TextError(field);
  if (!live_) return error;
  if (faults_.rows + faults_.cells++ == 0) faults_.first = std::string(error.message());
  return kMissingValue;
}

absl::StatusOr<ByteSource> OpenBytes(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return absl::ErrnoToStatus(errno, absl::StrCat("cannot open ", path));
  // Copies of the function share the file, which closes with the last copy.
  auto file = std::make_shared<File>(fd);
  return [file, path](char* buffer, size_t size) -> absl::StatusOr<size_t> {
    ssize_t read;
    do {
      read = ::read(file->fd(), buffer, size);
    } while (read < 0 && errno == EINTR);
    if (read < 0) return absl::ErrnoToStatus(errno, absl::StrCat("cannot read ", path));
    return static_cast<size_t>(read);
  };
}

}  // namespace aaren::cli
