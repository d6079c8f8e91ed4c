#include "client/cli/sources/events/event_records.h"

#include <algorithm>
#include <deque>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "client/cli/sources/csv/csv_cell.h"
#include "client/cli/sources/csv/csv_record.h"
#include "client/cli/sources/text_bytes.h"

namespace aaren::cli {
namespace {

constexpr absl::string_view kTimeColumns[] = {"time", "timestamp", "datetime", "date"};
constexpr absl::string_view kMarkColumns[] = {"mark", "type", "kind", "event"};
constexpr absl::string_view kSeriesColumns[] = {"series"};

absl::Status Fault(uint64_t line, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("line ", line, ": ", what));
}

// The bytes behind bytes that were read already.
ByteSource Rejoined(std::string read, ByteSource source) {
  return [read = std::move(read), source = std::move(source)](char* buffer,
                                                              size_t size) mutable -> absl::StatusOr<size_t> {
    if (read.empty()) return source(buffer, size);
    const size_t taken = read.copy(buffer, size);
    read.erase(0, taken);
    return taken;
  };
}

class CsvEvents final : public EventRecords {
 public:
  explicit CsvEvents(ByteSource bytes) : records_(std::move(bytes)) { records_.PassOverComments(); }

  absl::Status ReadHeader(const EventColumns& columns) {
    records_.LookAtRecords(CsvRecordReader::kAll, [&](absl::string_view record) {
      records_.set_delimiter(DelimiterOf(record, columns.delimiter));
      return Trimmed(record).empty() || absl::StartsWith(record, "#");
    });
    const absl::StatusOr<bool> any = NextFields();
    if (!any.ok()) return any.status();
    for (const absl::string_view field : fields_) header_.emplace_back(Readable(Trimmed(field)));
    absl::Status status;
    time_ = Find("time_column", columns.time, kTimeColumns, status);
    mark_ = Find("mark_column", columns.mark, kMarkColumns, status);
    series_ = Find("series_column", columns.series, kSeriesColumns, status);
    if (!status.ok() || time_) return status;
    return absl::InvalidArgumentError(
        absl::StrCat("the header has no column called ", absl::StrJoin(kTimeColumns, ", "),
                     "; --time_column names the column of times among ", absl::StrJoin(header_, ", ")));
  }

  absl::StatusOr<bool> Next(EventRecord& record) override {
    const uint64_t before = records_.line();
    const absl::StatusOr<bool> any = NextFields();
    record = {.line = records_.line(), .fault = any.status()};
    // A record with a faulty quote is passed; a quote that is never closed takes the rest of the file with it.
    if (!any.ok()) return absl::IsInvalidArgument(any.status()) && record.line > before ? true : any;
    if (!*any) return false;
    if (fields_.size() != header_.size()) {
      record.fault = Fault(record.line, absl::StrCat(fields_.size(), " fields, and the header has ", header_.size()));
      return true;
    }
    record.time = Field(time_);
    record.mark = Field(mark_);
    record.series = Field(series_);
    return true;
  }

 private:
  static char DelimiterOf(absl::string_view header, absl::string_view named) {
    if (named == "tab") return '\t';
    if (named == "space") return ' ';
    if (!named.empty()) return named[0];
    // The mark that comes most often; a comma if none comes.
    const auto count = [&](char mark) { return std::count(header.begin(), header.end(), mark); };
    return *std::max_element(kDelimiters.begin(), kDelimiters.end(),
                             [&](char a, char b) { return count(a) < count(b); });
  }

  std::optional<size_t> Find(absl::string_view flag, const std::string& named,
                             absl::Span<const absl::string_view> usual, absl::Status& status) const {
    const absl::string_view only[] = {named};
    for (const absl::string_view name : named.empty() ? usual : absl::MakeConstSpan(only)) {
      for (size_t i = 0; i < header_.size(); ++i) {
        if (named.empty() ? absl::EqualsIgnoreCase(header_[i], name) : header_[i] == name) return i;
      }
    }
    if (!named.empty()) {
      status.Update(absl::InvalidArgumentError(
          absl::StrCat("--", flag, "=", named, ": the columns are ", absl::StrJoin(header_, ", "))));
    }
    return {};
  }

  // The next record that is not blank.
  absl::StatusOr<bool> NextFields() {
    absl::StatusOr<bool> any;
    while ((any = records_.Next(fields_)).ok() && *any && fields_.size() == 1 && Trimmed(fields_[0]).empty()) {
    }
    return any;
  }

  std::string Field(std::optional<size_t> column) const {
    return column ? Readable(Trimmed(fields_[*column])) : std::string();
  }

  static constexpr absl::string_view kDelimiters = ",;\t|";
  CsvRecordReader records_;
  std::vector<std::string> header_;
  std::optional<size_t> time_, mark_, series_;
  std::vector<absl::string_view> fields_;
};

class JsonEvents final : public EventRecords {
 public:
  JsonEvents(ByteSource bytes, const EventColumns& columns) : bytes_(std::move(bytes)), columns_(columns) {}

  absl::StatusOr<bool> Next(EventRecord& record) override {
    while (pending_.empty()) {
      const absl::StatusOr<bool> any = ReadLine();
      if (!any.ok() || !*any) return any;
      Take(Trimmed(line_));
    }
    record = std::move(pending_.front());
    pending_.pop_front();
    return true;
  }

 private:
  using Json = nlohmann::json;

  absl::StatusOr<bool> ReadLine() {
    size_t end;
    while ((end = buffer_.find('\n')) == std::string::npos && !ended_) {
      char bytes[1 << 16];
      const absl::StatusOr<size_t> read = bytes_(bytes, sizeof bytes);
      if (!read.ok()) return read.status();
      ended_ = *read == 0;
      buffer_.append(bytes, *read);
      if (buffer_.size() > CsvRecordReader::kMaxRecordBytes) return Fault(number_ + 1, "a line of more than 16 MiB");
    }
    if (ended_ && buffer_.empty()) return false;
    line_ = buffer_.substr(0, end);
    buffer_.erase(0, end == std::string::npos ? end : end + 1);
    ++number_;
    return true;
  }

  void Take(absl::string_view line) {
    if (line.empty()) return;
    const Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!json.is_object()) return Refuse("no JSON object, which a line that begins a file of JSON must be");
    if (json.contains("times")) return TakeStream(json);
    EventRecord record{.line = number_};
    const Json* time = Find(json, columns_.time, kTimeColumns);
    if (time == nullptr) return Refuse(absl::StrCat("no key \"", columns_.time.empty() ? "time" : columns_.time, "\""));
    if (!SetText(*time, record.time)) return Refuse(absl::StrCat("the time is ", time->type_name()));
    const Json* mark = Find(json, columns_.mark, kMarkColumns);
    if (mark != nullptr && !SetText(*mark, record.mark)) return Refuse(absl::StrCat("the mark is ", mark->type_name()));
    const Json* series = Find(json, columns_.series, kSeriesColumns);
    if (series != nullptr && !SetText(*series, record.series)) {
      return Refuse(absl::StrCat("the series is ", series->type_name()));
    }
    pending_.push_back(std::move(record));
  }

  void TakeStream(const Json& json) {
    const auto times = json.find("times"), marks = json.find("marks");
    const bool marked = marks != json.end();
    if (!times->is_array()) return Refuse("\"times\" is no array");
    if (marked && (!marks->is_array() || marks->size() != times->size())) {
      return Refuse("\"marks\" is no array as long as \"times\"");
    }
    for (size_t i = 0; i < times->size(); ++i) {
      EventRecord record{.line = number_, .series = absl::StrCat(number_)};
      if (!SetText((*times)[i], record.time) || (marked && !SetText((*marks)[i], record.mark))) {
        return Refuse(absl::StrCat("event ", i, " has no text or number as its time or mark"));
      }
      pending_.push_back(std::move(record));
    }
  }

  static const Json* Find(const Json& json, const std::string& named, absl::Span<const absl::string_view> usual) {
    const absl::string_view only[] = {named};
    for (const absl::string_view name : named.empty() ? usual : absl::MakeConstSpan(only)) {
      const auto found = json.find(std::string(name));
      if (found != json.end()) return &*found;
    }
    return nullptr;
  }

  static bool SetText(const Json& json, std::string& text) {
    if (json.is_string()) text = json.get<std::string>();
    if (json.is_number() || json.is_boolean()) text = json.dump();
    return json.is_string() || json.is_number() || json.is_boolean();
  }

  void Refuse(absl::string_view what) { pending_.push_back({.line = number_, .fault = Fault(number_, what)}); }

  ByteSource bytes_;
  const EventColumns columns_;
  std::string buffer_, line_;
  bool ended_ = false;
  uint64_t number_ = 0;
  std::deque<EventRecord> pending_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<EventRecords>> EventRecords::Open(ByteSource bytes, const EventColumns& columns) {
  ByteSource text = TextBytes(std::move(bytes));
  std::string begin;
  // A file may begin with blank lines.
  while (Trimmed(begin).empty()) {
    char buffer[4096];
    const absl::StatusOr<size_t> read = text(buffer, sizeof buffer);
    if (!read.ok()) return read.status();
    if (*read == 0) return absl::InvalidArgumentError("the file is empty; a header or a line of JSON is expected");
    begin.append(buffer, *read);
  }
  if (absl::StartsWith(begin, "\xEF\xBB\xBF")) begin.erase(0, 3);  // a byte-order mark
  const bool json = absl::StartsWith(Trimmed(begin), "{");
  ByteSource whole = Rejoined(std::move(begin), std::move(text));
  if (json) return std::make_unique<JsonEvents>(std::move(whole), columns);
  auto csv = std::make_unique<CsvEvents>(std::move(whole));
  const absl::Status header = csv->ReadHeader(columns);
  if (!header.ok()) return header;
  return csv;
}

}  // namespace aaren::cli
