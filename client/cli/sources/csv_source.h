#ifndef AAREN_CLIENT_CLI_SOURCES_CSV_SOURCE_H_
#define AAREN_CLIENT_CLI_SOURCES_CSV_SOURCE_H_

// The rows of a CSV file, which can be read again from any row, or of standard input, which cannot. Threading: as
// RowSource.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "client/cli/sources/csv.h"
#include "client/cli/sources/row_source.h"

namespace aaren::cli {

class CsvSource : public RowSource {
 public:
  // Opens the bytes from their beginning.
  using Opener = std::function<absl::StatusOr<ByteSource>()>;

  // Says what was decided for the user. `name` is what errors call the file. `again`: the opener may be called more
  // than once.
  static absl::StatusOr<std::unique_ptr<CsvSource>> Open(std::string name, Opener opener, bool again,
                                                         CsvOptions options);

  const std::vector<std::string>& columns() const override { return reader_->columns(); }
  bool has_times() const override { return reader_->has_times(); }
  absl::StatusOr<bool> Next(Row& row) override;
  bool ready() override { return again_ || reader_->buffered(); }
  absl::Status Seek(uint64_t seq) override;
  bool CanSeek(uint64_t) const override { return again_; }

 private:
  CsvSource(std::string name, Opener opener, bool again, CsvOptions options);
  absl::Status Begin();

  const std::string name_;
  const Opener opener_;
  const bool again_;
  CsvOptions options_;
  std::unique_ptr<CsvReader> reader_;
  uint64_t next_seq_ = 0;
  CsvRow csv_row_;
};

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_SOURCES_CSV_SOURCE_H_
