#include "client/cli/csv_record.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace aaren::cli {
namespace {

constexpr size_t kReadBytes = 128 << 10;
constexpr absl::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

absl::Status CsvRecordReader::Error(absl::string_view what) const {
  return absl::InvalidArgumentError(absl::StrCat("line ", line_, ": ", what));
}

// A line end closes the record unless an odd number of quotes came before it: "" inside a quoted field keeps the
// parity.
bool CsvRecordReader::FindEnd() {
  while (!found_ && scanned_ < buffer_.size()) {
    scanned_ = std::min(buffer_.find_first_of("\n\"", scanned_), buffer_.size());
    if (scanned_ == buffer_.size()) break;
    if (buffer_[scanned_] == '\n' && !in_quotes_) {
      found_ = true;
    } else {
      if (buffer_[scanned_] == '"') in_quotes_ = !in_quotes_;
      ++scanned_;
    }
  }
  return found_;
}

absl::StatusOr<bool> CsvRecordReader::Fill() {
  buffer_.erase(0, begin_);
  scanned_ -= std::exchange(begin_, 0);
  const size_t size = buffer_.size();
  buffer_.resize(size + kReadBytes);
  const absl::StatusOr<size_t> read = source_(buffer_.data() + size, kReadBytes);
  buffer_.resize(size + (read.ok() ? *read : 0));
  if (!read.ok()) return read.status();
  return *read > 0;
}

bool CsvRecordReader::buffered() { return FindEnd(); }

absl::StatusOr<bool> CsvRecordReader::Next(std::vector<absl::string_view>& fields) {
  line_ = next_line_;
  while (!FindEnd() && !at_end_) {
    if (buffer_.size() - begin_ > kMaxRecordBytes) {
      return Error(in_quotes_ ? "a quote is opened and not closed within 16 MiB" : "longer than 16 MiB");
    }
    const absl::StatusOr<bool> more = Fill();
    if (!more.ok()) return more.status();
    at_end_ = !*more;
  }
  if (at_end_ && !found_ && in_quotes_) return Error("a quote is opened and never closed");
  if (at_end_ && begin_ == buffer_.size()) return false;
  absl::string_view record = absl::string_view(buffer_).substr(begin_, scanned_ - begin_);
  next_line_ += static_cast<uint64_t>(std::count(record.begin(), record.end(), '\n')) + 1;
  begin_ = scanned_ = std::min(scanned_ + 1, buffer_.size());
  found_ = false;
  absl::ConsumeSuffix(&record, "\r");
  if (line_ == 1) absl::ConsumePrefix(&record, kByteOrderMark);
  const absl::Status status = Split(record, fields);
  if (!status.ok()) return status;
  return true;
}

absl::Status CsvRecordReader::Split(absl::string_view record, std::vector<absl::string_view>& fields) {
  fields.clear();
  if (record.find('"') != absl::string_view::npos) return SplitQuoted(record, fields);
  size_t comma;
  while ((comma = record.find(',')) != absl::string_view::npos) {
    fields.push_back(record.substr(0, comma));
    record.remove_prefix(comma + 1);
  }
  fields.push_back(record);
  return absl::OkStatus();
}

absl::Status CsvRecordReader::SplitQuoted(absl::string_view record, std::vector<absl::string_view>& fields) {
  unquoted_.clear();
  unquoted_.reserve(record.size());  // so that the fields' views stay valid
  for (;;) {
    const size_t begin = unquoted_.size();
    bool quoted = absl::ConsumePrefix(&record, "\"");
    const bool was_quoted = quoted;
    while (!record.empty() && (quoted || record[0] != ',')) {
      if (quoted && absl::ConsumePrefix(&record, "\"\"")) {
        unquoted_ += '"';
      } else if (quoted && absl::ConsumePrefix(&record, "\"")) {
        quoted = false;
      } else if (was_quoted && !quoted) {
        return Error("text after the closing quote of a field");
      } else {
        unquoted_ += record[0];
        record.remove_prefix(1);
      }
    }
    fields.push_back(absl::string_view(unquoted_).substr(begin));
    if (!absl::ConsumePrefix(&record, ",")) return absl::OkStatus();
  }
}

}  // namespace aaren::cli
