#include "client/cli/sources/csv/csv_record.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace aaren::cli {
namespace {

constexpr size_t kReadBytes = 128 << 10;
constexpr absl::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

absl::Status CsvRecordReader::Error(absl::string_view what) const {
  return absl::InvalidArgumentError(absl::StrCat("line ", at_.line, ": ", what));
}

// A line end closes the record unless an odd number of quotes came before it: "" inside a quoted field keeps the
// parity. The quotes of a comment are text.
bool CsvRecordReader::FindEnd() {
  if (comments_ && !at_.found && at_.begin < buffer_.size() && buffer_[at_.begin] == '#') {
    at_.scanned = std::min(buffer_.find('\n', at_.scanned), buffer_.size());
    at_.in_quotes = false;
    return at_.found = at_.scanned < buffer_.size();
  }
  while (!at_.found && at_.scanned < buffer_.size()) {
    at_.scanned = std::min(buffer_.find_first_of("\n\"", at_.scanned), buffer_.size());
    if (at_.scanned == buffer_.size()) break;
    if (buffer_[at_.scanned] == '\n' && !at_.in_quotes) {
      at_.found = true;
    } else {
      if (buffer_[at_.scanned] == '"') at_.in_quotes = !at_.in_quotes;
      ++at_.scanned;
    }
  }
  return at_.found;
}

absl::StatusOr<bool> CsvRecordReader::Fill() {
  if (!failed_.ok()) return failed_;
  // Bytes that were shown ahead are read again, and stay.
  if (!keep_) {
    buffer_.erase(0, at_.begin);
    at_.scanned -= std::exchange(at_.begin, 0);
  }
  const size_t size = buffer_.size();
  buffer_.resize(size + kReadBytes);
  const absl::StatusOr<size_t> read = source_(buffer_.data() + size, kReadBytes);
  buffer_.resize(size + (read.ok() ? *read : 0));
  if (!read.ok()) return failed_ = read.status();
  return *read > 0;
}

void CsvRecordReader::LookAtRecords(size_t wait, const std::function<bool(absl::string_view)>& look) {
  // The look leaves no trace: Next goes on from the same place.
  const Place before = at_;
  keep_ = true;
  absl::string_view record;
  size_t seen = 0;
  for (bool more = true; more; ++seen) {
    const bool waits = seen == 0 || (seen < wait && at_.begin - before.begin < kLookAheadBytes);
    if (!waits && !FindEnd()) break;
    const absl::StatusOr<bool> any = Take(record);
    more = any.ok() && *any && look(record);
  }
  keep_ = false;
  at_ = before;
}

void CsvRecordReader::LookAhead(size_t wait, const std::function<bool(const std::vector<absl::string_view>&)>& look) {
  std::vector<absl::string_view> fields;
  LookAtRecords(wait, [&](absl::string_view record) {
    if (comments_ && absl::StartsWith(record, "#")) return true;
    return Split(record, fields).ok() && look(fields);
  });
}

absl::StatusOr<bool> CsvRecordReader::Next(std::vector<absl::string_view>& fields) {
  absl::string_view record;
  for (;;) {
    const absl::StatusOr<bool> any = Take(record);
    if (!any.ok() || !*any) return any;
    if (comments_ && absl::StartsWith(record, "#")) continue;
    const absl::Status status = Split(record, fields);
    if (!status.ok()) return status;
    return true;
  }
}

absl::StatusOr<bool> CsvRecordReader::Take(absl::string_view& record) {
  at_.line = at_.next_line;
  while (!FindEnd() && !at_end_) {
    // A quote that is never closed would read the whole file into memory.
    if (buffer_.size() - at_.begin > kMaxRecordBytes) {
      return Error(at_.in_quotes ? "a quote is opened and not closed within 16 MiB" : "longer than 16 MiB");
    }
    const absl::StatusOr<bool> more = Fill();
    if (!more.ok()) return more.status();
    at_end_ = !*more;
  }
  if (at_end_ && !at_.found && at_.in_quotes) return Error("a quote is opened and never closed");
  if (at_end_ && at_.begin == buffer_.size()) return false;
  record = absl::string_view(buffer_).substr(at_.begin, at_.scanned - at_.begin);
  // A quoted field may have line ends.
  at_.next_line += static_cast<uint64_t>(std::count(record.begin(), record.end(), '\n')) + 1;
  // Behind the line end, or at the end of a last line without one.
  at_.begin = at_.scanned = std::min(at_.scanned + 1, buffer_.size());
  at_.found = false;
  absl::ConsumeSuffix(&record, "\r");
  if (at_.line == 1) absl::ConsumePrefix(&record, kByteOrderMark);
  return true;
}

absl::Status CsvRecordReader::Split(absl::string_view record, std::vector<absl::string_view>& fields) {
  fields.clear();
  // Most records have no quote, and their fields need no copy.
  if (record.find('"') != absl::string_view::npos) return SplitQuoted(record, fields);
  const bool blanks = delimiter_ == ' ';
  if (blanks) record = absl::StripAsciiWhitespace(record);
  size_t end;
  while ((end = record.find(delimiter_)) != absl::string_view::npos) {
    fields.push_back(record.substr(0, end));
    record.remove_prefix(end + 1);
    if (blanks) record = absl::StripLeadingAsciiWhitespace(record);
  }
  fields.push_back(record);
  return absl::OkStatus();
}

absl::Status CsvRecordReader::SplitQuoted(absl::string_view record, std::vector<absl::string_view>& fields) {
  unquoted_.clear();
  unquoted_.reserve(record.size());  // so that the fields' views stay valid
  for (;;) {
    if (delimiter_ == ' ') record = absl::StripLeadingAsciiWhitespace(record);
    const size_t begin = unquoted_.size();
    bool quoted = absl::ConsumePrefix(&record, "\"");
    const bool was_quoted = quoted;
    while (!record.empty() && (quoted || record[0] != delimiter_)) {
      if (quoted && absl::ConsumePrefix(&record, "\"\"")) {
        unquoted_ += '"';
      } else if (quoted && absl::ConsumePrefix(&record, "\"")) {
        quoted = false;
      } else if (was_quoted && !quoted && record[0] != ' ') {
        return Error("text after the closing quote of a field");
      } else {
        if (quoted || !was_quoted) unquoted_ += record[0];
        record.remove_prefix(1);
      }
    }
    fields.push_back(absl::string_view(unquoted_).substr(begin));
    if (record.empty()) return absl::OkStatus();
    record.remove_prefix(1);
  }
}

}  // namespace aaren::cli
