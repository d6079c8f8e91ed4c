#include "client/cli/sources/csv.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "client/cli/terminal/json.h"

namespace aaren::cli {
namespace {

constexpr absl::string_view kTimeNames[] = {"date", "time", "timestamp", "datetime"};
constexpr absl::string_view kMissing[] = {"", "nan", "na", "null"};
constexpr size_t kMostGuessRows = 20'000;  // two weeks of minutes: by then the 13th of a month has come
constexpr size_t kTwice = SIZE_MAX;        // a name that two columns have
constexpr double kMissingValue = std::numeric_limits<double>::quiet_NaN();

bool IsAnyOf(absl::string_view text, absl::Span<const absl::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](absl::string_view word) { return absl::EqualsIgnoreCase(text, word); });
}

// What a reader has to see of a cell: enough to find it, never a whole book.
std::string Excerpt(absl::string_view cell) {
  constexpr size_t kMost = 40;
  return absl::StrCat("\"", ToUtf8(cell.substr(0, kMost)), cell.size() > kMost ? "…" : "", "\"");
}

absl::StatusOr<std::vector<std::string>> SplitNames(const std::string& names) {
  bool done = false;
  CsvRecordReader reader([&](char* buffer, size_t size) -> absl::StatusOr<size_t> {
    return std::exchange(done, true) ? 0 : names.copy(buffer, size);
  });
  std::vector<absl::string_view> fields;
  const absl::StatusOr<bool> any = reader.Next(fields);
  if (!any.ok()) return absl::InvalidArgumentError(absl::StrCat("--columns=", names, ": ", any.status().message()));
  return std::vector<std::string>(fields.begin(), fields.end());
}

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

}  // namespace

absl::Status CheckTimeFormat(const CsvOptions& options) {
  return options.time_format.empty() ? absl::OkStatus() : TimeFormat::FromName(options.time_format).status();
}

CsvReader::CsvReader(std::string name, ByteSource source, const CsvOptions& options)
    : name_(std::move(name)), records_(std::move(source)), missing_(options.missing) {}

absl::StatusOr<std::unique_ptr<CsvReader>> CsvReader::Open(std::string name, ByteSource source,
                                                           const CsvOptions& options, bool live) {
  auto reader = std::unique_ptr<CsvReader>(new CsvReader(std::move(name), std::move(source), options));
  const absl::Status status = reader->ReadHeader(options, live);
  if (!status.ok()) return status;
  return reader;
}

absl::Status CsvReader::Error(absl::string_view what) const {
  return absl::InvalidArgumentError(absl::StrCat(name_, ": ", what));
}

absl::Status CsvReader::CellError(size_t field, absl::string_view what) const {
  return Error(absl::StrCat("line ", records_.line(), ", column \"", header_[field], "\": ", Excerpt(fields_[field]),
                            " ", what));
}

absl::StatusOr<bool> CsvReader::NextRecord() {
  absl::StatusOr<bool> any = records_.Next(fields_);
  if (any.ok() || any.status().code() != absl::StatusCode::kInvalidArgument) return any;
  return Error(any.status().message());
}

absl::Status CsvReader::ReadHeader(const CsvOptions& options, bool live) {
  const absl::StatusOr<bool> any = NextRecord();
  if (!any.ok()) return any.status();
  if (!*any) return Error("the file is empty; a header line with the names of the columns is expected");
  for (absl::string_view field : fields_) header_.push_back(ToUtf8(absl::StripAsciiWhitespace(field)));
  for (size_t field = 0; field < header_.size(); ++field) {
    if (!places_.emplace(header_[field], field).second) places_[header_[field]] = kTwice;
  }
  if (HeaderIsARow()) {
    remarks_.push_back(absl::StrCat(name_, ": the first line is taken for the columns' names, but it holds values"));
  }
  first_row_ = FirstRow();
  absl::Status status = ChooseTimes(options);
  if (status.ok()) status = ChooseColumns(options);
  return status.ok() ? ChooseFormat(options, live) : status;
}

bool CsvReader::IsRow(const std::vector<absl::string_view>& fields) const { return fields.size() == header_.size(); }

// A file without a header would lose its first row in silence.
bool CsvReader::HeaderIsARow() const {
  return std::all_of(header_.begin(), header_.end(), [](const std::string& name) {
    double number;
    return absl::SimpleAtod(name, &number) || TimeFormatGuess::IsCalendarTime(name);
  });
}

std::vector<std::string> CsvReader::FirstRow() {
  std::vector<std::string> row;
  records_.LookAhead(/*wait=*/true, [&](const std::vector<absl::string_view>& fields) {
    const bool blank = fields.size() == 1 && fields[0].empty();
    if (IsRow(fields)) row = std::vector<std::string>(fields.begin(), fields.end());
    return blank && !IsRow(fields);
  });
  return row;
}

absl::StatusOr<size_t> CsvReader::FieldOf(absl::string_view column) const {
  const std::string name = ToUtf8(absl::StripAsciiWhitespace(column));
  const auto found = places_.find(name);
  if (found == places_.end()) {
    return Error(absl::StrCat("no column \"", name, "\"; there are ", absl::StrJoin(header_, ", ")));
  }
  if (found->second == kTwice) return Error(absl::StrCat("there are two columns called \"", name, "\""));
  return found->second;
}

absl::Status CsvReader::ChooseTimes(const CsvOptions& options) {
  if (options.time_column == "-") return absl::OkStatus();
  if (options.time_column.empty()) {
    const bool holds_dates = !first_row_.empty() && TimeFormatGuess::IsCalendarTime(first_row_[0]);
    if (holds_dates || IsAnyOf(header_[0], kTimeNames)) time_field_ = 0;
    if (time_field_ || options.time_format.empty()) return absl::OkStatus();
    return Error(
        absl::StrCat("which column has times --time_format=", options.time_format, "? --time_column names it"));
  }
  const absl::StatusOr<size_t> field = FieldOf(options.time_column);
  if (field.ok()) time_field_ = *field;
  return field.status();
}

absl::Status CsvReader::ChooseFormat(const CsvOptions& options, bool live) {
  time_format_ = options.found_format;
  if (!time_field_ || time_format_) return absl::OkStatus();
  if (!options.time_format.empty()) {
    absl::StatusOr<TimeFormat> format = TimeFormat::FromName(options.time_format);
    if (format.ok()) time_format_ = *std::move(format);
    return format.status();
  }
  TimeFormatGuess guess;
  size_t rows = 0;
  records_.LookAhead(!live, [&](const std::vector<absl::string_view>& fields) {
    return !IsRow(fields) || (guess.Add(fields[*time_field_]) && ++rows < kMostGuessRows);
  });
  time_format_ = guess.best();
  if (!guess.ambiguous().empty()) remarks_.push_back(absl::StrCat(name_, ": ", guess.ambiguous()));
  return absl::OkStatus();
}

// Without a column of times, one that holds dates is no series either.
std::vector<std::string> CsvReader::AllColumns(const std::string& time_column) {
  std::vector<std::string> names;
  for (size_t field = 0; field < header_.size(); ++field) {
    if (field == time_field_) continue;
    if (time_column == "-" && !first_row_.empty() && TimeFormatGuess::IsCalendarTime(first_row_[field])) {
      remarks_.push_back(absl::StrCat(name_, ": column \"", header_[field], "\" holds times, not numbers: left out"));
    } else {
      names.push_back(header_[field]);
    }
  }
  return names;
}

absl::Status CsvReader::ChooseColumns(const CsvOptions& options) {
  const std::string& columns = options.columns;
  columns_named_ = !columns.empty();
  std::vector<std::string> names;
  if (columns.empty()) {
    names = AllColumns(options.time_column);
  } else {
    absl::StatusOr<std::vector<std::string>> split = SplitNames(columns);
    if (!split.ok()) return split.status();
    names = *std::move(split);
  }
  absl::flat_hash_set<size_t> chosen;
  for (const std::string& name : names) {
    const absl::StatusOr<size_t> field = FieldOf(name);
    if (!field.ok()) return field.status();
    if (!chosen.insert(*field).second) {
      return absl::InvalidArgumentError(absl::StrCat("--columns=", columns, " names \"", name, "\" twice"));
    }
    fields_of_columns_.push_back(*field);
    columns_.push_back(header_[*field]);
  }
  return columns_.empty() ? Error("there is no column besides the times") : absl::OkStatus();
}

absl::StatusOr<bool> CsvReader::Next(CsvRow& row) {
  // A blank line is no row, unless an empty line is how this file writes a missing value.
  bool blank = true;
  while (blank) {
    const absl::StatusOr<bool> any = NextRecord();
    if (!any.ok()) return any.status();
    if (!*any) return any_row_ ? absl::StatusOr<bool>(false) : Error("there is a header line, but no rows");
    blank = header_.size() > 1 && fields_.size() == 1 && fields_[0].empty();
  }
  row.line = records_.line();
  if (fields_.size() != header_.size()) {
    return Error(absl::StrCat("line ", row.line, " has ", fields_.size(), " fields; the header has ", header_.size()));
  }
  const absl::Status status = ReadTime(row);
  if (!status.ok()) return status;
  row.values.resize(columns_.size());
  for (size_t i = 0; i < columns_.size(); ++i) {
    const absl::StatusOr<double> value = ReadValue(fields_of_columns_[i]);
    if (!value.ok()) return value.status();
    row.values[i] = *value;
  }
  any_row_ = true;
  return true;
}

absl::Status CsvReader::ReadTime(CsvRow& row) {
  if (!time_field_) return absl::OkStatus();
  const absl::string_view text = absl::StripAsciiWhitespace(fields_[*time_field_]);
  if (!time_format_) return CellError(*time_field_, absl::StrCat("is not a time; tried ", TimeFormatGuess::Tried()));
  const std::optional<int64_t> time = time_format_->Parse(text);
  if (!time) {
    return CellError(*time_field_, absl::StrCat("is not a time as ", time_format_->name(),
                                                "; --time_format=FORMAT says how times are written"));
  }
  if (*time < last_time_ns_) {
    return CellError(*time_field_, absl::StrCat("is before \"", last_time_, "\", the time of the row above"));
  }
  row.time_ns = last_time_ns_ = *time;
  last_time_.assign(text.data(), text.size());
  row.time = last_time_;
  return absl::OkStatus();
}

absl::StatusOr<double> CsvReader::ReadValue(size_t field) const {
  absl::string_view text = absl::StripAsciiWhitespace(fields_[field]);
  if (IsAnyOf(text, kMissing)) return kMissingValue;
  if (text.size() > 1 && text[1] != '-') absl::ConsumePrefix(&text, "+");
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || error == std::errc::invalid_argument || std::isnan(value)) {
    return CellError(field, columns_named_ ? "is not a number" : "is not a number; --columns names those that are");
  }
  if (error == std::errc::result_out_of_range && !absl::SimpleAtod(text, &value)) value = INFINITY;
  if (!std::isfinite(static_cast<float>(value))) {
    return CellError(field,
                     error == std::errc() && std::isinf(value) ? "is infinite" : "is too large for a 32-bit float");
  }
  return missing_ && value == *missing_ ? kMissingValue : value;
}

absl::StatusOr<ByteSource> OpenBytes(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return absl::ErrnoToStatus(errno, absl::StrCat("cannot open ", path));
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
