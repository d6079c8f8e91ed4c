#include "model/tasks/seq2seq/dated_table.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/time/civil_time.h"
#include "model/tasks/forecasting/line_reader.h"

namespace aaren::seq2seq {
namespace {

absl::Status AddDate(absl::string_view text, DatedTable& table) {
  absl::CivilSecond date;
  if (!absl::ParseCivilTime(absl::StrReplaceAll(text, {{" ", "T"}}), &date)) {
    return absl::InvalidArgumentError(absl::StrCat("\"", text, "\" is no date like 2016-07-01 00:00:00"));
  }
  const absl::CivilDay day(date);
  const auto share = [&](int64_t value, int64_t most) {
    table.clock.push_back(static_cast<float>(static_cast<double>(value) / static_cast<double>(most) - 0.5));
  };
  share(date.hour(), 23);
  share(static_cast<int64_t>(absl::GetWeekday(day)), 6);  // Monday is 0
  share(date.day() - 1, 30);
  share(absl::GetYearDay(day) - 1, 365);
  return absl::OkStatus();
}

absl::Status AddRow(absl::string_view line, DatedTable& table) {
  const std::vector<absl::string_view> fields = absl::StrSplit(line, ',');
  if (fields.size() != table.columns.size() + 1) {
    return absl::InvalidArgumentError(absl::StrCat(fields.size(), " fields, not ", table.columns.size() + 1));
  }
  if (absl::Status status = AddDate(absl::StripAsciiWhitespace(fields[0]), table); !status.ok()) return status;
  for (size_t i = 1; i < fields.size(); ++i) {
    float value;
    if (!absl::SimpleAtof(fields[i], &value) || !std::isfinite(value)) {
      return absl::InvalidArgumentError(
          absl::StrCat("column ", table.columns[i - 1], ": \"", fields[i], "\" is no finite number"));
    }
    table.values.push_back(value);
  }
  return absl::OkStatus();
}

absl::Status TakeHeader(absl::string_view line, DatedTable& table) {
  table.columns = absl::StrSplit(line, ',');
  if (table.columns.size() < 2 || table.columns[0] != "date") {
    return absl::InvalidArgumentError("the header does not begin with date and a column of numbers");
  }
  table.columns.erase(table.columns.begin());
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<DatedTable> ReadDatedTable(const std::string& path) {
  absl::StatusOr<forecasting::LineReader> lines = forecasting::LineReader::Open(path);
  if (!lines.ok()) return lines.status();
  DatedTable table;
  for (std::string line; lines->Next(line);) {
    if (absl::StripAsciiWhitespace(line).empty()) continue;
    const absl::Status status = table.columns.empty() ? TakeHeader(line, table) : AddRow(line, table);
    if (!status.ok()) return lines->Error(status.message());
  }
  if (absl::Status status = lines->status(); !status.ok()) return status;
  if (table.clock.empty()) return lines->Error("the file ends without a row");
  return table;
}

Parts PartsOf(const std::string& dataset, int64_t rows) {
  int64_t train = rows * 7 / 10, test = rows * 2 / 10, validation = rows - train - test;
  if (absl::StartsWith(dataset, "ETT")) {
    const int64_t month = 30 * 24 * (absl::StartsWith(dataset, "ETTm") ? 4 : 1);
    train = 12 * month;
    validation = test = 4 * month;
  }
  return {.train = {.begin = 0, .end = train},
          .validation = {.begin = train, .end = train + validation},
          .test = {.begin = train + validation, .end = train + validation + test}};
}

void Standardise(const Rows& train, DatedTable& table) {
  const size_t columns = table.columns.size();
  const auto rows = static_cast<double>(train.end - train.begin);
  for (size_t c = 0; c < columns; ++c) {
    double sum = 0, squares = 0;
    for (int64_t r = train.begin; r < train.end; ++r) sum += table.values[r * columns + c];
    const double mean = sum / rows;  // the value itself in a constant column: the sum of its floats is exact
    for (int64_t r = train.begin; r < train.end; ++r) squares += std::pow(table.values[r * columns + c] - mean, 2);
    const double deviation = squares > 0 ? std::sqrt(squares / rows) : 1;
    for (size_t at = c; at < table.values.size(); at += columns) {
      table.values[at] = static_cast<float>((table.values[at] - mean) / deviation);
    }
  }
}

}  // namespace aaren::seq2seq
