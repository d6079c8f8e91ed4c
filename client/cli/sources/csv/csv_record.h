#ifndef AAREN_CLIENT_CLI_SOURCES_CSV_CSV_RECORD_H_
#define AAREN_CLIENT_CLI_SOURCES_CSV_CSV_RECORD_H_

// A CsvRecordReader cuts a stream of bytes into the records of a CSV file, in constant memory. Records are lines that
// end in LF or CRLF, fields between commas or another delimiter, quoted as RFC 4180 says (a quoted field may hold
// delimiters, line ends and "" for a quote). A blank as delimiter stands for any number of blanks. A byte-order mark
// before the first record is skipped, and so are lines that begin with # once comments are passed over.
// Threading: a plain value.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "client/cli/terminal/byte_source.h"

namespace aaren::cli {

class CsvRecordReader {
 public:
  // A record longer than this is an error.
  static constexpr size_t kMaxRecordBytes = 16 << 20;

  explicit CsvRecordReader(ByteSource source) : source_(std::move(source)) {}

  // The next record's fields, valid until the next call; false at the end. INVALID_ARGUMENT, naming the line, for a
  // quote that is never closed, text after a closing quote, or a record that is too long.
  absl::StatusOr<bool> Next(std::vector<absl::string_view>& fields);

  // Shows the next records, which Next will still return, until `look` says false. The first `wait` records are waited
  // for, up to kLookAheadBytes; further records are shown if they are here. A malformed record ends the look.
  void LookAhead(size_t wait, const std::function<bool(const std::vector<absl::string_view>& fields)>& look);
  // The same for records that are not cut into fields, comments too.
  void LookAtRecords(size_t wait, const std::function<bool(absl::string_view record)>& look);
  static constexpr size_t kLookAheadBytes = 4 << 20;
  static constexpr size_t kAll = SIZE_MAX;

  // The delimiter stands between two fields, and is a comma until another is set.
  void set_delimiter(char delimiter) { delimiter_ = delimiter; }
  char delimiter() const { return delimiter_; }

  // Lines that begin with # are no records from now on.
  void PassOverComments() { comments_ = true; }

  // The line, from 1, on which the last record began.
  uint64_t line() const { return at_.line; }

 private:
  absl::StatusOr<bool> Take(absl::string_view& record);
  absl::StatusOr<bool> Fill();
  bool FindEnd();
  absl::Status Split(absl::string_view record, std::vector<absl::string_view>& fields);
  absl::Status SplitQuoted(absl::string_view record, std::vector<absl::string_view>& fields);
  absl::Status Error(absl::string_view what) const;

  ByteSource source_;
  // The place of the next record in buffer_ and in the file.
  struct Place {
    size_t begin = 0;        // the record's first byte
    size_t scanned = 0;      // earlier bytes hold no end of the record
    bool in_quotes = false;  // at scanned
    bool found = false;      // scanned is at the record's line end
    uint64_t line = 0;       // the record before began here
    uint64_t next_line = 1;
  };

  std::string buffer_;
  Place at_;
  bool keep_ = false;  // bytes before at_ are needed again
  bool at_end_ = false;
  char delimiter_ = ',';
  bool comments_ = false;
  absl::Status failed_;  // the source's error
  std::string unquoted_;
};

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_SOURCES_CSV_CSV_RECORD_H_
