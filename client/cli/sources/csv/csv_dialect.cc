#include "client/cli/sources/csv/csv_dialect.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "client/cli/sources/time/time_format.h"

namespace aaren::cli {
namespace {

constexpr size_t kMostRecords = 100;
constexpr size_t kMostBytes = 1 << 20;  // the size of a sample, unless the first three records are longer
constexpr size_t kFewestRecords = 3;

using Fields = std::vector<std::string>;

// In the order of preference; blanks only where nothing else parts the fields.
constexpr char kDelimiters[] = {',', ';', '\t', '|'};

bool IsBlank(const Fields& fields) { return fields.size() == 1 && Trimmed(fields[0]).empty(); }

// True if a cell has content of a row and not of a header.
bool IsValue(absl::string_view text) {
  double number;
  // The style of the file's numbers is not known yet.
  for (const NumberStyle& style : {NumberStyle{'.', ','}, NumberStyle{',', '.'}}) {
    const Cell cell = ReadCell(text, style, number);
    if (cell != Cell::kText && cell != Cell::kMissing) return true;
  }
  return TimeFormatGuess::IsCalendarTime(text);
}

bool HasValue(const Fields& fields) { return std::any_of(fields.begin(), fields.end(), IsValue); }

bool IsText(const Fields& fields) {
  double number;
  const auto is_text = [&](const std::string& cell) {
    return !IsValue(cell) && ReadCell(cell, {}, number) == Cell::kText;
  };
  return !HasValue(fields) && std::any_of(fields.begin(), fields.end(), is_text);
}

// A row may have empty fields behind those of its header.
bool FitsWidth(const Fields& fields, size_t width) {
  return fields.size() >= width && std::all_of(fields.begin() + static_cast<ptrdiff_t>(width), fields.end(),
                                               [](const std::string& cell) { return Trimmed(cell).empty(); });
}

std::vector<Fields> Sample(CsvRecordReader& records, bool live) {
  std::vector<Fields> sample;
  size_t bytes = 0;
  records.LookAhead(live ? 2 : kMostRecords, [&](const std::vector<absl::string_view>& fields) {
    Fields& copy = sample.emplace_back(fields.begin(), fields.end());
    for (const std::string& field : copy) bytes += field.size() + 1;
    return sample.size() < kMostRecords && (bytes < kMostBytes || sample.size() < kFewestRecords);
  });
  return sample;
}

// The most usual number of fields.
size_t Width(const std::vector<Fields>& sample) {
  std::map<size_t, size_t> records;
  for (const Fields& fields : sample) records[fields.size()] += IsBlank(fields) ? 0 : 1;
  const auto most = std::max_element(records.begin(), records.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == records.end() ? 0 : most->first;
}

// How well a delimiter fits, 0 .. 1: the share of the records with the usual number of fields, and the share of values
// among the cells.
double Fit(const std::vector<Fields>& sample) {
  const size_t width = Width(sample);
  if (width < 2) return 0;
  double fitting = 0, all = 0, cells = 0, values = 0, number;
  for (const Fields& fields : sample) {
    if (IsBlank(fields)) continue;
    all += 1;
    if (fields.size() != width) continue;
    if (++fitting == 1) continue;  // the header
    for (const std::string& cell : fields) {
      cells += 1;
      values += IsValue(cell) || ReadCell(cell, {}, number) == Cell::kMissing ? 1 : 0;
    }
  }
  // A tenth at least, so that records of text alone are still cut into fields.
  return fitting / all * (0.1 + (cells > 0 ? values / cells : 0));
}

// The delimiters that occur in the first records, quotes apart.
std::string Occurring(CsvRecordReader& records, bool live) {
  constexpr size_t kRecords = 20;
  std::string occurring;
  size_t seen = 0, bytes = 0;
  records.LookAtRecords(live ? 2 : kRecords, [&](absl::string_view record) {
    bool quoted = false;
    for (const char c : record) {
      if (c == '"') quoted = !quoted;
      const bool delimiter =
          !quoted && std::find(std::begin(kDelimiters), std::end(kDelimiters), c) != std::end(kDelimiters);
      if (delimiter && !absl::StrContains(occurring, c)) occurring += c;
    }
    bytes += record.size();
    return ++seen < kRecords && bytes < kMostBytes;
  });
  return occurring;
}

// "temp" above lines of 20,00: one column with decimal commas.
bool IsOneColumnOfCommas(const std::vector<Fields>& sample) {
  if (sample.size() < 2 || sample[0].size() != 1 || IsValue(sample[0][0])) return false;
  return std::all_of(sample.begin() + 1, sample.end(), [](const Fields& fields) {
    return IsBlank(fields) || (fields.size() == 2 && IsValue(fields[0]) &&
                               fields[1].find_first_not_of("0123456789") == std::string::npos && !fields[1].empty());
  });
}

// True if the fields of all rows from `from` on are halves of numbers under a header of `width` names, as of
// "2024-01-01,20,00" under "date,temp". Digits of one length, with a zero in front somewhere, stand behind a decimal
// comma: nobody writes whole numbers in this way.
bool AreHalves(const std::vector<Fields>& rows, size_t width, size_t from) {
  const auto digits = [](absl::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == absl::string_view::npos;
  };
  std::vector<size_t> lengths(width, 0);
  bool zero = false;
  size_t fitting = 0;
  for (const Fields& fields : rows) {
    if (IsBlank(fields)) continue;
    if (fields.size() != 2 * width - from) return false;
    for (size_t i = from; i < fields.size(); i += 2) {
      const std::string& behind = fields[i + 1];
      size_t& length = lengths[from + (i - from) / 2];
      if (fields[i].empty() && behind.empty()) continue;
      if (!digits(absl::StripPrefix(fields[i], "-")) || !digits(behind)) return false;
      if (length != 0 && length != behind.size()) return false;
      length = behind.size();
      zero |= length > 1 && behind[0] == '0';
    }
    ++fitting;
  }
  return zero && fitting >= kFewestRecords;
}

// The first field that is half a number, SIZE_MAX without one; joins the halves of the sample.
size_t FindHalves(std::vector<Fields>& sample) {
  if (sample.size() <= kFewestRecords || HasValue(sample[0])) return SIZE_MAX;
  const std::vector<Fields> rows(sample.begin() + 1, sample.end());
  // A column of times before the numbers stays whole.
  for (const size_t from : {size_t{1}, size_t{0}}) {
    if (sample[0].size() <= from || !AreHalves(rows, sample[0].size(), from)) continue;
    for (size_t row = 1; row < sample.size(); ++row) {
      Fields& fields = sample[row];
      if (IsBlank(fields)) continue;
      for (size_t i = from; i < sample[0].size(); ++i) {
        const std::string &before = fields[2 * i - from], &behind = fields[2 * i - from + 1];
        fields[i] = absl::StrCat(before, before.empty() && behind.empty() ? "" : ",", behind);
      }
      fields.resize(sample[0].size());
    }
    return from;
  }
  return SIZE_MAX;
}

char FindDelimiter(CsvRecordReader& records, bool live) {
  const std::string occurring = Occurring(records, live);
  char best = ',';
  double best_fit = 0;
  for (const char delimiter : kDelimiters) {
    if (!absl::StrContains(occurring, delimiter)) continue;
    records.set_delimiter(delimiter);
    const std::vector<Fields> sample = Sample(records, live);
    if (delimiter == ',' && IsOneColumnOfCommas(sample)) return ';';
    if (delimiter == ',' && occurring.size() == 1) return delimiter;  // a header of a million names is cut once
    const double fit = Fit(sample);
    // At equal fits the earlier delimiter of the list stays.
    if (fit > best_fit) best = delimiter, best_fit = fit;
  }
  if (best_fit > 0) return best;
  records.set_delimiter(' ');
  const std::vector<Fields> sample = Sample(records, live);
  // Text has blanks, too: only a file that is mostly values is cut at blanks.
  return sample.size() > 1 && Width(sample) > 1 && sample[0].size() == Width(sample) && Fit(sample) > 0.6 ? ' ' : ',';
}

char NamedDelimiter(absl::string_view name) {
  if (name == "tab" || name == "\\t") return '\t';
  return name == "space" ? ' ' : name[0];
}

// The first record that may be a header behind lines of text: as wide as most records, without values, and before a
// record with some. Otherwise the first record is the header, whatever it holds.
size_t HeaderPlace(const std::vector<Fields>& sample) {
  const size_t width = Width(sample);
  const auto narrow = [&](const Fields& fields) {
    const auto filled =
        std::count_if(fields.begin(), fields.end(), [](const std::string& c) { return !Trimmed(c).empty(); });
    // A title takes one cell, though a spreadsheet writes all cells of the line.
    return fields.size() < width || (width > 2 && filled < 2);
  };
  size_t first = 0;
  while (first < sample.size() && IsBlank(sample[first]) && width > 1) ++first;
  if (first == sample.size()) return 0;
  if (width < 2 || !narrow(sample[first])) return first;
  for (size_t i = first + 1; i + 1 < sample.size(); ++i) {
    const bool header = FitsWidth(sample[i], width) && !narrow(sample[i]) && IsText(sample[i]);
    size_t next = i + 1;
    if (next + 1 < sample.size() && IsText(sample[next])) ++next;  // units
    if (header && sample[next].size() >= width && HasValue(sample[next])) return i;
  }
  return first;
}

// The last of the comments that a file begins with, without its #.
std::string LeadingComment(CsvRecordReader& records, bool live) {
  std::string comment;
  records.LookAtRecords(live ? 1 : kMostRecords, [&](absl::string_view record) {
    const bool more = absl::ConsumePrefix(&record, "#");
    if (more) comment = std::string(record);
    return more;
  });
  return comment;
}

Fields NamesOf(const std::string& comment, char delimiter) {
  bool done = false;
  CsvRecordReader reader([&](char* buffer, size_t size) -> absl::StatusOr<size_t> {
    return std::exchange(done, true) ? 0 : comment.copy(buffer, size);
  });
  reader.set_delimiter(delimiter);
  std::vector<absl::string_view> fields;
  const absl::StatusOr<bool> any = reader.Next(fields);
  return any.ok() && *any ? Fields(fields.begin(), fields.end()) : Fields();
}

void Remark(const CsvOptions& options, CsvDialect& dialect) {
  const auto say = [&](auto... what) { dialect.remarks.push_back(absl::StrCat(what...)); };
  if (dialect.skip > 0 && dialect.has_header) {
    say("the header is taken to be behind ", dialect.skip, dialect.skip == 1 ? " line" : " lines", " of other text");
  }
  if (!dialect.has_header && dialect.names.empty())
    say("the first line has values and no names: the columns are numbered");
  if (dialect.has_units) say("the line behind the header is taken for units");
  const bool delimiter = dialect.delimiter != ',' && options.delimiter.empty();
  const bool decimal = dialect.numbers.decimal != '.' && options.decimal.empty();
  const std::string name = dialect.delimiter == '\t'  ? "tabs"
                           : dialect.delimiter == ' ' ? "blanks"
                                                      : std::string("\"") + dialect.delimiter + "\"";
  if (delimiter && dialect.header.size() > 1) say("fields are parted by ", name, "; --delimiter says otherwise");
  if (decimal) say("numbers have a decimal comma; --decimal=. says otherwise");
}

}  // namespace

absl::Status CheckDialect(const CsvOptions& options) {
  const std::string& delimiter = options.delimiter;
  if (!delimiter.empty() && delimiter != "tab" && delimiter != "\\t" && delimiter != "space" &&
      (delimiter.size() > 1 || delimiter == "\"" || delimiter == "\n")) {
    return absl::InvalidArgumentError(
        absl::StrCat("--delimiter=", delimiter, " is neither one character nor tab or space"));
  }
  if (!options.decimal.empty() && options.decimal != "." && options.decimal != ",") {
    return absl::InvalidArgumentError(absl::StrCat("--decimal=", options.decimal, " is neither . nor ,"));
  }
  return absl::OkStatus();
}

void JoinHalves(size_t from, std::vector<absl::string_view>& fields) {
  size_t joined = from;
  for (size_t i = from; i + 1 < fields.size(); i += 2) {
    const absl::string_view before = fields[i], behind = fields[i + 1];
    if (before.data() + before.size() + 1 != behind.data()) return;
    const bool empty = before.empty() && behind.empty();
    fields[joined++] = empty ? before : absl::string_view(before.data(), before.size() + 1 + behind.size());
  }
  fields.resize(joined);
}

CsvDialect FindDialect(CsvRecordReader& records, const CsvOptions& options, bool live) {
  CsvDialect dialect;
  // Before comments are passed over: a comment may hold the names of the columns.
  const std::string comment = LeadingComment(records, live);
  records.PassOverComments();
  dialect.delimiter = options.delimiter.empty() ? FindDelimiter(records, live) : NamedDelimiter(options.delimiter);
  records.set_delimiter(dialect.delimiter);
  std::vector<Fields> sample = Sample(records, live);
  if (sample.empty()) return dialect;
  if (dialect.delimiter == ',' && options.decimal != ".") dialect.halves_from = FindHalves(sample);
  dialect.skip = HeaderPlace(sample);
  const size_t width = sample[dialect.skip].size();
  dialect.has_header = !std::all_of(sample[dialect.skip].begin(), sample[dialect.skip].end(), IsValue);
  dialect.header = sample[dialect.skip];
  if (!dialect.has_header && !comment.empty()) dialect.names = NamesOf(comment, dialect.delimiter);
  // A comment with another number of fields is prose.
  if (dialect.names.size() != width) dialect.names.clear();
  size_t row = dialect.skip + (dialect.has_header ? 1 : 0);
  // Units are words below the names, with values in the next record.
  dialect.has_units = dialect.has_header && row + 1 < sample.size() && sample[row].size() == width &&
                      IsText(sample[row]) && HasValue(sample[row + 1]) && sample[row + 1].size() == width &&
                      sample[row] != dialect.header;
  Fields cells;
  for (row += dialect.has_units ? 1 : 0; row < sample.size(); ++row) {
    // Files that were joined repeat the header.
    if (IsBlank(sample[row]) || !FitsWidth(sample[row], width) || sample[row] == dialect.header) continue;
    sample[row].resize(width);
    cells.insert(cells.end(), sample[row].begin(), sample[row].end());
    dialect.rows.push_back(std::move(sample[row]));
  }
  if (!options.decimal.empty()) {
    dialect.numbers = options.decimal == "," ? NumberStyle{',', '.'} : NumberStyle{'.', ','};
  } else {
    dialect.numbers = FindNumberStyle(cells, dialect.delimiter == ',' && dialect.halves_from == SIZE_MAX);
  }
  Remark(options, dialect);
  return dialect;
}

}  // namespace aaren::cli
