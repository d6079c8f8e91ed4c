// A CSV file whose first byte chooses the options and the pieces of its bytes: every row has a value a column, and
// times never go back.

#include <algorithm>
#include <cmath>
#include <cstring>

#include "client/cli/sources/csv/csv.h"
#include "tests/fuzz/target.h"

namespace aaren::fuzz {
namespace {

constexpr const char* kTimeColumns[] = {"", "-", "date", "a"};

// At most `piece` bytes at a time.
cli::ByteSource InPieces(absl::string_view bytes, size_t piece) {
  return [bytes, piece](char* buffer, size_t size) mutable -> absl::StatusOr<size_t> {
    const size_t count = std::min({size, piece, bytes.size()});
    std::memcpy(buffer, bytes.data(), count);
    bytes.remove_prefix(count);
    return count;
  };
}

}  // namespace

void RunCsv(absl::string_view bytes) {
  const int choice = bytes.empty() ? 0 : bytes.front();
  bytes.remove_prefix(std::min<size_t>(bytes.size(), 1));
  cli::CsvOptions options;
  options.time_column = kTimeColumns[choice & 3];
  if ((choice & 4) != 0) options.missing = {"-9999", "off"};
  const auto reader =
      cli::CsvReader::Open("file", InPieces(bytes, (choice & 8) != 0 ? 1 : 1000), options, (choice & 16) != 0);
  if (!reader.ok()) return;
  cli::CsvRow row;
  int64_t last_ns = INT64_MIN;
  for (auto more = (*reader)->Next(row); more.ok() && *more; more = (*reader)->Next(row)) {
    Must(row.values.size() == (*reader)->columns().size(), "a row has another number of values than there are columns");
    for (const double value : row.values) Must(!std::isinf(value), "a value is infinite");
    if (!(*reader)->has_times()) continue;
    Must(row.time_ns >= last_ns, "a time goes back");
    last_ns = row.time_ns;
  }
}

}  // namespace aaren::fuzz
