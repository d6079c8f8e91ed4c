#include "client/cli/sources/csv/csv_columns.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "client/cli/sources/time/time_format.h"

namespace aaren::cli {
namespace {

constexpr absl::string_view kTimeNames[] = {"date", "time", "timestamp", "datetime"};
constexpr absl::string_view kTimeWords[] = {
    "date",  "time", "timestamp", "datetime", "ts", "epoch", "unix", "unixtime", "datum",   "zeit",        "uhrzeit",
    "fecha", "hora", "heure",     "ds",       "t",  "tid",   "when", "created",  "updated", "zeitstempel", "zeitpunkt"};
constexpr absl::string_view kCountNames[] = {"",   "unnamed: 0", "index", "id",     "no",
                                             "nr", "row",        "#",     "rownum", "row_id"};
constexpr absl::string_view kTimeParts[] = {"year", "month", "day", "hour", "minute", "second"};
constexpr size_t kTwice = SIZE_MAX;  // a name that two columns have
constexpr size_t kMostNames = 10;    // in a message
constexpr size_t kFewestRows = 3;    // that show what a column holds

template <typename Words>
bool IsAnyOf(absl::string_view text, const Words& words) {
  return std::any_of(std::begin(words), std::end(words),
                     [&](absl::string_view word) { return absl::EqualsIgnoreCase(text, word); });
}

// True if a name has a word for time: Timestamp (ms), time_utc, Date/Time.
bool IsNamedTime(absl::string_view name) {
  std::string words(name);
  for (char& c : words) c = absl::ascii_isalpha(c) ? c : ' ';
  const std::vector<absl::string_view> split = absl::StrSplit(words, ' ', absl::SkipEmpty());
  return std::any_of(split.begin(), split.end(), [](absl::string_view word) { return IsAnyOf(word, kTimeWords); });
}

// Seconds, milliseconds, microseconds or nanoseconds since 1970 of a time from 1990 to 2100.
bool IsEpoch(absl::string_view text) {
  double number;
  if (!absl::SimpleAtod(Trimmed(text), &number)) return false;
  constexpr double kFirst = 631'152'000, kLast = 4'102'444'800;
  constexpr double kUnits[] = {1, 1e3, 1e6, 1e9};
  return std::any_of(std::begin(kUnits), std::end(kUnits),
                     [&](double unit) { return number >= kFirst * unit && number <= kLast * unit; });
}

bool IsClock(absl::string_view text) {
  text = Trimmed(text);
  const size_t colon = text.find(':');
  // The longest clock is 12:00:00.123456789, of 18 bytes.
  return (colon == 1 || colon == 2) && text.size() >= colon + 3 && text.size() <= 18 && absl::ascii_isdigit(text[0]) &&
         absl::ascii_isdigit(text[colon + 1]);
}

// How far two names are apart, in letters of either that the other lacks.
size_t Apart(absl::string_view a, absl::string_view b) {
  std::array<int, 256> letters = {};
  for (const char c : a) ++letters[static_cast<uint8_t>(absl::ascii_tolower(c))];
  for (const char c : b) --letters[static_cast<uint8_t>(absl::ascii_tolower(c))];
  size_t apart = 0;
  for (const int count : letters) apart += static_cast<size_t>(std::abs(count));
  return apart;
}

class Chooser {
 public:
  Chooser(const CsvDialect& dialect, const CsvOptions& options, bool live)
      : dialect_(dialect), options_(options), live_(live) {}

  absl::StatusOr<CsvColumns> Choose() {
    NameFields();
    absl::Status status = ChooseTimes();
    if (status.ok()) status = ChooseSeriesColumn();
    std::vector<size_t> covariates;
    for (const auto& [flag, names, count] : {std::tuple("past", &options_.past, &columns_.covariates.past),
                                             std::tuple("future", &options_.future, &columns_.covariates.future)}) {
      if (!status.ok() || names->empty()) continue;
      const absl::StatusOr<std::vector<size_t>> fields = FieldsOf(flag, *names);
      if (!fields.ok()) return fields.status();
      *count = static_cast<uint32_t>(fields->size());
      covariates.insert(covariates.end(), fields->begin(), fields->end());
    }
    if (status.ok()) status = options_.columns.empty() ? TakeAll() : TakeNamed();
    if (!status.ok()) return status;
    if (columns_.series.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("there is no column besides the times", covariates.empty() ? "" : " and the covariates"));
    }
    columns_.fields.insert(columns_.fields.end(), covariates.begin(), covariates.end());
    return std::move(columns_);
  }

 private:
  void NameFields();
  absl::Status ChooseTimes();
  std::vector<size_t> DateParts() const;
  std::optional<size_t> FindTimes();
  absl::Status ChooseSeriesColumn();
  absl::Status TakeAll();
  absl::Status TakeNamed();
  absl::StatusOr<std::vector<size_t>> FieldsOf(absl::string_view flag, const std::string& names);
  void Take(size_t field);
  absl::StatusOr<size_t> FieldOf(absl::string_view column) const;
  absl::Status NoColumn(const std::string& name) const;

  bool IsUsed(size_t field) const {
    return std::count(columns_.time_fields.begin(), columns_.time_fields.end(), field) > 0 ||
           columns_.tells_series_apart == field || chosen_.contains(field);
  }
  template <typename Predicate>
  bool All(size_t field, Predicate predicate) const {
    return std::all_of(dialect_.rows.begin(), dialect_.rows.end(),
                       [&](const std::vector<std::string>& row) { return predicate(row[field]); });
  }
  bool HoldsDates(size_t field) const {
    return !dialect_.rows.empty() && All(field, [first = true](absl::string_view cell) mutable {
      // One cell is tried in all formats. The others have to look alike: a digit first or last.
      return std::exchange(first, false) ? TimeFormatGuess::IsCalendarTime(cell) : !cell.empty();
    });
  }
  bool HoldsEpochs(size_t field) const { return !dialect_.rows.empty() && All(field, IsEpoch); }
  bool RisesEvenly(size_t field) const;
  bool IsEmpty(size_t field) const {
    return All(field, [](absl::string_view cell) { return Trimmed(cell).empty(); });
  }
  bool HoldsText(size_t field) const;
  bool CountsRows(size_t field) const;
  template <typename... Words>
  void Say(const Words&... words) {
    // Bounded: a wide file of text must not print a line for each column.
    if (columns_.remarks.size() < kMostNames) columns_.remarks.push_back(absl::StrCat(words...));
  }

  const CsvDialect& dialect_;
  const CsvOptions& options_;
  const bool live_;
  CsvColumns columns_;
  absl::flat_hash_map<std::string, size_t> places_;  // the field of each name; kTwice
  absl::flat_hash_set<size_t> chosen_;               // the fields named by flags
};

void Chooser::NameFields() {
  for (size_t field = 0; field < dialect_.header.size(); ++field) {
    const std::vector<std::string>& names = dialect_.has_header ? dialect_.header : dialect_.names;
    const std::string readable = names.empty() ? "" : Readable(names[field]);
    std::string name(Trimmed(readable));
    columns_.header.push_back(name.empty() ? absl::StrCat("column ", field + 1) : std::move(name));
    // A name that comes twice is an error only where the column is taken.
    if (!places_.emplace(columns_.header[field], field).second) places_[columns_.header[field]] = kTwice;
  }
}

absl::Status Chooser::NoColumn(const std::string& name) const {
  const std::vector<std::string>& header = columns_.header;
  const std::string there = absl::StrCat("no column \"", name, "\"; there are ");
  // A file may have thousands of columns: the message then names the nearest.
  if (header.size() <= kMostNames) return absl::InvalidArgumentError(absl::StrCat(there, absl::StrJoin(header, ", ")));
  std::vector<std::pair<size_t, size_t>> nearest;
  for (size_t i = 0; i < header.size(); ++i) nearest.push_back({Apart(name, header[i]), i});
  std::partial_sort(nearest.begin(), nearest.begin() + kMostNames, nearest.end());
  std::vector<std::string> names;
  for (size_t i = 0; i < kMostNames; ++i) names.push_back(header[nearest[i].second].substr(0, 80));
  return absl::InvalidArgumentError(
      absl::StrCat(there, header.size(), " columns, and the nearest names are ", absl::StrJoin(names, ", ")));
}

absl::StatusOr<size_t> Chooser::FieldOf(absl::string_view column) const {
  const std::string readable = Readable(column);
  const std::string name(Trimmed(readable));
  const auto found = places_.find(name);
  if (found == places_.end()) return NoColumn(name);
  if (found->second != kTwice) return found->second;
  return absl::InvalidArgumentError(
      absl::StrCat("there are two columns called \"", name.substr(0, 80), "\"; rename one"));
}

// Columns called year, month, day and so on, as far as they go.
std::vector<size_t> Chooser::DateParts() const {
  std::vector<size_t> fields;
  for (const absl::string_view part : kTimeParts) {
    const auto found = std::find_if(columns_.header.begin(), columns_.header.end(),
                                    [&](const std::string& name) { return absl::EqualsIgnoreCase(name, part); });
    if (found == columns_.header.end()) break;
    fields.push_back(static_cast<size_t>(found - columns_.header.begin()));
  }
  // A date needs the year, the month and the day.
  return fields.size() < 3 ? std::vector<size_t>() : fields;
}

bool Chooser::RisesEvenly(size_t field) const {
  std::vector<double> steps;
  for (size_t row = 1; row < dialect_.rows.size(); ++row) {
    double before = 0, after = 0;
    if (!absl::SimpleAtod(dialect_.rows[row - 1][field], &before) ||
        !absl::SimpleAtod(dialect_.rows[row][field], &after))
      return false;
    steps.push_back(after - before);
  }
  if (steps.size() + 1 < kFewestRows) return false;
  std::vector<double> sorted = steps;
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<ptrdiff_t>(sorted.size() / 2), sorted.end());
  const double usual = sorted[sorted.size() / 2];
  // Ids and counts may lie in the range of times since 1970, but have no usual step.
  const auto even = std::count(steps.begin(), steps.end(), usual);
  return usual != 0 && static_cast<double>(even) >= 0.8 * static_cast<double>(steps.size());
}

std::optional<size_t> Chooser::FindTimes() {
  const size_t fields = columns_.header.size();
  if (IsAnyOf(columns_.header[0], kTimeNames) || HoldsDates(0)) return 0;
  for (size_t field = 1; field < fields; ++field) {
    if (HoldsDates(field)) return field;
  }
  for (size_t field = 0; field < fields; ++field) {
    if (IsNamedTime(columns_.header[field]) && HoldsEpochs(field)) return field;
  }
  // A single column of such numbers is rather a series.
  if (fields > 1 && HoldsEpochs(0) && RisesEvenly(0)) {
    Say("column \"", columns_.header[0], "\" is taken for times since 1970; --time_column=- makes it a series");
    return 0;
  }
  return {};
}

absl::Status Chooser::ChooseTimes() {
  if (options_.time_column == "-") return absl::OkStatus();
  if (!options_.time_column.empty()) {
    const absl::StatusOr<size_t> field = FieldOf(options_.time_column);
    if (!field.ok()) return field.status();
    columns_.time_fields = {*field};
  } else if (columns_.time_fields = DateParts(); !columns_.time_fields.empty()) {
    Say("times are in the columns ", absl::StrJoin(columns_.time_fields, ", ", [&](std::string* out, size_t field) {
          absl::StrAppend(out, columns_.header[field]);
        }));
    return absl::OkStatus();
  } else if (const std::optional<size_t> found = FindTimes()) {
    columns_.time_fields = {*found};
    if (*found > 0) Say("times are in column \"", columns_.header[*found], "\"; --time_column says otherwise");
  }
  if (columns_.time_fields.empty()) {
    if (options_.time_format.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("which column has times --time_format=", options_.time_format, "? --time_column names it"));
  }
  const size_t date = columns_.time_fields[0];
  const bool has_clock =
      !dialect_.rows.empty() && !All(date, [](absl::string_view cell) { return !absl::StrContains(cell, ':'); });
  // A clock stands directly behind its date.
  const size_t clock = date + 1;
  if (!has_clock && clock < columns_.header.size() && !dialect_.rows.empty() && All(clock, IsClock)) {
    columns_.time_fields.push_back(clock);
  }
  return absl::OkStatus();
}

absl::Status Chooser::ChooseSeriesColumn() {
  if (options_.series_column.empty()) return absl::OkStatus();
  const absl::StatusOr<size_t> field = FieldOf(options_.series_column);
  if (field.ok()) columns_.tells_series_apart = *field;
  return field.status();
}

// A file's column needs some rows to be judged by; a live source has only its first.
bool Chooser::HoldsText(size_t field) const {
  size_t text = 0, numbers = 0;
  double number;
  for (const std::vector<std::string>& row : dialect_.rows) {
    const Cell cell = ReadCell(row[field], dialect_.numbers, number);
    text += cell == Cell::kText ? 1 : 0;
    numbers += cell == Cell::kText || cell == Cell::kMissing ? 0 : 1;
  }
  return numbers == 0 && text >= (live_ ? 1 : kFewestRows);
}

// 0, 1, 2, … or 1, 2, 3, … under a name that means no more.
bool Chooser::CountsRows(size_t field) const {
  const std::string& name = dialect_.has_header ? dialect_.header[field] : columns_.header[field];
  if (dialect_.rows.size() < kFewestRows || !IsAnyOf(Trimmed(name), kCountNames)) return false;
  int64_t first = 0, last = 0;
  const size_t rows = dialect_.rows.size();
  return absl::SimpleAtoi(dialect_.rows[0][field], &first) && absl::SimpleAtoi(dialect_.rows[rows - 1][field], &last) &&
         (first == 0 || first == 1) && last - first + 1 == static_cast<int64_t>(rows);
}

void Chooser::Take(size_t field) {
  columns_.fields.push_back(field);
  columns_.series.push_back(columns_.header[field]);
}

absl::Status Chooser::TakeAll() {
  for (size_t field = 0; field < columns_.header.size(); ++field) {
    const std::string& name = columns_.header[field];
    if (IsUsed(field)) continue;
    // A delimiter at the end of each line makes a column without a name or values.
    if (!dialect_.rows.empty() && IsEmpty(field) && dialect_.has_header && Trimmed(dialect_.header[field]).empty())
      continue;
    if (places_.at(name) == kTwice) return FieldOf(name).status();
    if (options_.time_column == "-" && HoldsDates(field)) {
      Say("column \"", name, "\" holds times, not numbers: left out");
    } else if (HoldsText(field)) {
      const auto shown = std::find_if(dialect_.rows.begin(), dialect_.rows.end(),
                                      [&](const auto& row) { return !Trimmed(row[field]).empty(); });
      Say("column \"", name, "\" holds text, such as ", Excerpt((*shown)[field]), ": left out");
    } else if (CountsRows(field)) {
      Say("column \"", name, "\" counts the rows: left out; --columns takes it");
    } else {
      Take(field);
    }
  }
  return absl::OkStatus();
}

// Cuts the names like a record of the file: a name with a comma stands in quotes.
absl::StatusOr<std::vector<std::string>> SplitNames(absl::string_view flag, const std::string& names) {
  bool done = false;
  CsvRecordReader reader([&](char* buffer, size_t size) -> absl::StatusOr<size_t> {
    return std::exchange(done, true) ? 0 : names.copy(buffer, size);
  });
  std::vector<absl::string_view> fields;
  const absl::StatusOr<bool> any = reader.Next(fields);
  if (!any.ok()) return absl::InvalidArgumentError(absl::StrCat("--", flag, "=", names, ": ", any.status().message()));
  return std::vector<std::string>(fields.begin(), fields.end());
}

absl::StatusOr<std::vector<size_t>> Chooser::FieldsOf(absl::string_view flag, const std::string& list) {
  const absl::StatusOr<std::vector<std::string>> names = SplitNames(flag, list);
  if (!names.ok()) return names.status();
  std::vector<size_t> fields;
  for (const std::string& name : *names) {
    const absl::StatusOr<size_t> field = FieldOf(name);
    if (!field.ok()) return field.status();
    // A column twice would be two equal channels, or a series that explains itself.
    if (!chosen_.insert(*field).second) {
      const bool here = std::count(fields.begin(), fields.end(), *field) > 0;
      return absl::InvalidArgumentError(absl::StrCat("--", flag, "=", list, " names \"", name, "\"",
                                                     here ? " twice" : ", which is a covariate of another flag"));
    }
    fields.push_back(*field);
  }
  return fields;
}

absl::Status Chooser::TakeNamed() {
  columns_.named = true;
  const absl::StatusOr<std::vector<size_t>> fields = FieldsOf("columns", options_.columns);
  if (!fields.ok()) return fields.status();
  for (const size_t field : *fields) Take(field);
  return absl::OkStatus();
}

}  // namespace

std::string CsvColumns::TimeOf(const std::vector<absl::string_view>& row) const {
  const auto part = [&](size_t i) { return Trimmed(row[time_fields[i]]); };
  std::string time(part(0));
  if (time_fields.size() == 2) absl::StrAppend(&time, " ", part(1));
  if (time_fields.size() < 3) return time;
  // Columns for year, month and day become a text such as 2024-1-31.
  absl::StrAppend(&time, "-", part(1), "-", part(2));
  if (time_fields.size() > 3) absl::StrAppend(&time, " ", part(3), ":", time_fields.size() > 4 ? part(4) : "00");
  if (time_fields.size() > 5) absl::StrAppend(&time, ":", part(5));
  return time;
}

absl::StatusOr<CsvColumns> ChooseColumns(const CsvDialect& dialect, const CsvOptions& options, bool live) {
  return Chooser(dialect, options, live).Choose();
}

}  // namespace aaren::cli
