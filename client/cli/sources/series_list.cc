#include "client/cli/sources/series_list.h"

#include <memory>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/sources/csv/csv.h"

namespace aaren::cli {
namespace {

// Each series becomes a session. A column with more texts than this holds ids or notes.
constexpr size_t kMostSeries = 10'000;

}  // namespace

absl::StatusOr<std::vector<std::string>> SeriesOf(const std::string& path, const CsvOptions& options) {
  CsvOptions any_order = options;
  // Names do not depend on the order of times.
  any_order.any_order = true;
  absl::StatusOr<ByteSource> bytes = OpenBytes(path);
  if (!bytes.ok()) return bytes.status();
  const absl::StatusOr<std::unique_ptr<CsvReader>> reader = CsvReader::Open(path, *std::move(bytes), any_order);
  if (!reader.ok()) return reader.status();
  std::vector<std::string> series;
  absl::flat_hash_set<std::string> known;
  CsvRow row;
  absl::StatusOr<bool> any;
  while ((any = (*reader)->Next(row)).ok() && *any) {
    if (!known.insert((*reader)->series()).second) continue;
    series.push_back((*reader)->series());
    if (series.size() > kMostSeries) {
      return absl::InvalidArgumentError(absl::StrCat(path, ": column \"", options.series_column, "\" tells more than ",
                                                     kMostSeries,
                                                     " series apart; --series_column has to name another"));
    }
  }
  if (!any.ok()) return any.status();
  return series;
}

std::string SessionPart(const std::string& series) {
  std::string part;
  for (const char c : series) {
    const bool plain = absl::ascii_isalnum(c) || c == '-' || c == '.' || c == '_';
    part += plain ? std::string(1, c) : absl::StrFormat("%%%02X", static_cast<uint8_t>(c));
  }
  return part;
}

}  // namespace aaren::cli
