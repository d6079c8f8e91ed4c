#ifndef AAREN_CLIENT_CLI_SOURCES_CSV_ORDERED_ROWS_H_
#define AAREN_CLIENT_CLI_SOURCES_CSV_ORDERED_ROWS_H_

// OrderedRows are the rows of a CSV file or of a pipe in the order of time, some late rows apart. A file whose times
// mostly go back is newest first, and is turned; a file in no order is sorted. A file that was turned or sorted is held
// in memory. A pipe is never held: a pipe with the newest rows first is refused.
//
// Threading: as RowSource.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/cli/sources/csv/csv.h"

namespace aaren::cli {

// Opens the bytes from their beginning.
using BytesOpener = std::function<absl::StatusOr<ByteSource>()>;

class OrderedRows {
 public:
  // The times of the first rows.
  struct FirstTimes {
    std::vector<int64_t> sorted;
    size_t again = 0;  // how many times equal the time of the row above
  };

  // Errors call the file `name`. `again`: the opener may be called more than once.
  OrderedRows(std::string name, BytesOpener opener, bool again, CsvOptions csv);

  // Goes to the first row. Called before every other method.
  absl::Status Begin();

  // Finds the order from the first rows. InvalidArgument for a pipe, newest first. REQUIRES: reader().has_times().
  absl::StatusOr<FirstTimes> LookAtTimes();

  // Reads all rows of a file to be turned or sorted, and tells the user.
  absl::Status PutInOrder();

  // The next row; false at the end. An error stays.
  absl::StatusOr<bool> Next(CsvRow& row);

  const std::string& name() const { return name_; }
  bool again() const { return again_; }
  const CsvOptions& options() const { return csv_; }
  bool begun() const { return reader_ != nullptr; }
  CsvReader& reader() const { return *reader_; }
  // True if rows of the same time are usual. REQUIRES: LookAtTimes was called.
  bool times_repeat() const { return times_repeat_; }

 private:
  enum class Order { kAscending, kDescending, kNone };

  absl::StatusOr<std::unique_ptr<CsvReader>> OpenReader() const;

  const std::string name_;
  const BytesOpener opener_;
  const bool again_;
  CsvOptions csv_;
  std::unique_ptr<CsvReader> reader_;
  Order order_ = Order::kAscending;
  bool times_repeat_ = false;
  std::vector<CsvRow> rows_;  // empty for a file in order
  size_t next_ = 0;           // in rows_
};

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_SOURCES_CSV_ORDERED_ROWS_H_
