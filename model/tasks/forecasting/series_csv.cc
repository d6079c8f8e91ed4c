#include "model/tasks/forecasting/series_csv.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace aaren::forecasting {
namespace {

constexpr absl::string_view kByteOrderMark = "\xef\xbb\xbf";

// Splits one line into fields. A quoted field may hold commas and doubled quotes, but no line ends.
std::vector<std::string> SplitLine(absl::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') {
      const bool doubled = quoted && i + 1 < line.size() && line[i + 1] == '"';
      if (doubled)
        fields.back() += line[i++];
      else
        quoted = !quoted;
    } else if (line[i] == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += line[i];
    }
  }
  for (std::string& field : fields) absl::StripAsciiWhitespace(&field);
  return fields;
}

bool IsMissing(const std::string& field) {
  return field.empty() || absl::EqualsIgnoreCase(field, "na") || absl::EqualsIgnoreCase(field, "nan") ||
         absl::EqualsIgnoreCase(field, "null");
}

// The field's number, NaN for a missing value, or nullopt if the field is no finite number.
std::optional<double> ToNumber(const std::string& field) {
  double value;
  if (IsMissing(field)) return std::numeric_limits<double>::quiet_NaN();
  if (!absl::SimpleAtod(field, &value) || !std::isfinite(value)) return std::nullopt;
  return value;
}

class Reader {
 public:
  Reader(const std::string& path, const std::vector<std::string>& columns, const std::string& series_column)
      : path_(path), columns_(columns), series_column_(series_column), file_(path) {}

  absl::StatusOr<std::vector<CsvSeries>> Read() {
    if (!file_) return absl::NotFoundError(absl::StrCat("cannot open ", path_));
    if (!NextRow()) return absl::InvalidArgumentError(absl::StrCat(path_, " is empty"));
    header_ = fields_;
    // The mark precedes the first header only; left in place, no column of that name would be found.
    header_[0] = std::string(absl::StripPrefix(header_[0], kByteOrderMark));
    if (!NextRow()) return absl::InvalidArgumentError(absl::StrCat(path_, " has a header but no rows"));
    absl::Status status = ChooseColumns();
    for (bool more = true; status.ok() && more; more = status.ok() && NextRow()) status = AddRow();
    if (!status.ok()) return status;
    return std::move(series_);
  }

 private:
  bool NextRow() {
    std::string line;
    do {
      if (!std::getline(file_, line)) return false;
      ++line_;
    } while (absl::StripAsciiWhitespace(line).empty());
    fields_ = SplitLine(line);
    return true;
  }

  absl::Status ChooseColumns() {
    if (!series_column_.empty()) {
      const absl::StatusOr<size_t> names = Find(series_column_);
      if (!names.ok()) return names.status();
      names_ = *names;
    }
    for (size_t i = 0; columns_.empty() && i < std::min(header_.size(), fields_.size()); ++i) {
      if (names_ != i && ToNumber(fields_[i]).has_value()) chosen_.push_back(i);
    }
    for (const std::string& column : columns_) {
      const absl::StatusOr<size_t> at = Find(column);
      if (!at.ok()) return at.status();
      chosen_.push_back(*at);
    }
    if (chosen_.empty()) return absl::InvalidArgumentError(absl::StrCat(path_, " has no column of numbers"));
    return absl::OkStatus();
  }

  absl::StatusOr<size_t> Find(const std::string& column) const {
    const auto at = std::find(header_.begin(), header_.end(), column);
    if (at != header_.end()) return at - header_.begin();
    return absl::NotFoundError(
        absl::StrCat(path_, " has no column \"", column, "\"; it has ", absl::StrJoin(header_, ", ")));
  }

  // The first of the series that the row belongs to, one for each chosen column.
  size_t FirstSeries() {
    const std::string name = names_.has_value() ? fields_[*names_] : "";
    const auto [at, fresh] = first_.try_emplace(name, series_.size());
    for (size_t i = 0; fresh && i < chosen_.size(); ++i) {
      const std::string& column = header_[chosen_[i]];
      series_.push_back({.name = name.empty() ? column : absl::StrCat(name, " ", column), .values = {}});
    }
    return at->second;
  }

  absl::Status AddRow() {
    // In a row with too few or too many fields, the fields behind the fault would enter the wrong series.
    if (fields_.size() != header_.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat(path_, " line ", line_, " has ", fields_.size(), " fields, the header has ", header_.size()));
    }
    const size_t first = FirstSeries();
    for (size_t i = 0; i < chosen_.size(); ++i) {
      const std::optional<double> value = ToNumber(fields_[chosen_[i]]);
      if (!value.has_value()) {
        return absl::InvalidArgumentError(absl::StrCat(path_, " line ", line_, " column \"", header_[chosen_[i]],
                                                       "\": \"", fields_[chosen_[i]], "\" is not a finite number"));
      }
      series_[first + i].values.push_back(*value);
    }
    return absl::OkStatus();
  }

  const std::string& path_;
  const std::vector<std::string>& columns_;
  const std::string& series_column_;
  std::ifstream file_;
  int64_t line_ = 0;
  std::vector<std::string> header_, fields_;
  std::vector<size_t> chosen_;
  std::optional<size_t> names_;          // the field with the name of a row's series
  std::map<std::string, size_t> first_;  // the first series of each name
  std::vector<CsvSeries> series_;
};

}  // namespace

absl::StatusOr<std::vector<CsvSeries>> ReadCsvSeries(const std::string& path, const std::vector<std::string>& columns,
                                                     const std::string& series_column) {
  return Reader(path, columns, series_column).Read();
}

}  // namespace aaren::forecasting
