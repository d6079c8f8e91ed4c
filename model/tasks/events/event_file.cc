#include "model/tasks/events/event_file.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "model/tasks/forecasting/line_reader.h"

namespace aaren::events {
namespace {

constexpr double kMostNanoseconds = 9.2e18;

// The time of `whole` units and a rest. A double has 53 bits, too few for the nanoseconds since 1970, so units of whole
// nanoseconds are multiplied as whole numbers. REQUIRES: the rest is below 1, or the time is beyond all bounds.
absl::StatusOr<int64_t> Nanoseconds(int64_t whole, double rest, double unit) {
  const double unit_ns = unit * 1e9, step = std::round(unit_ns), sum = (static_cast<double>(whole) + rest) * unit_ns;
  if (!(std::abs(sum) <= kMostNanoseconds)) {
    return absl::InvalidArgumentError(
        absl::StrCat("the time ", static_cast<double>(whole) + rest, " is not within 292 years from 1970"));
  }
  if (std::abs(unit_ns - step) > 1e-12 * step) return std::llround(sum);
  return whole * static_cast<int64_t>(step) + std::llround(rest * step);
}

absl::StatusOr<int64_t> TimeOf(const std::string& text, double unit) {
  int64_t whole;
  double number;
  if (absl::SimpleAtoi(text, &whole)) return Nanoseconds(whole, 0, unit);
  if (absl::SimpleAtod(text, &number)) {
    whole = std::abs(number) < kMostNanoseconds ? static_cast<int64_t>(number) : 0;
    return Nanoseconds(whole, number - static_cast<double>(whole), unit);
  }
  absl::Time time;
  std::string why;
  if (!absl::ParseTime(absl::RFC3339_full, text, &time, &why)) {
    return absl::InvalidArgumentError(absl::StrCat("the time \"", text, "\" is no number and no date"));
  }
  if (absl::AbsDuration(time - absl::UnixEpoch()) > absl::Nanoseconds(kMostNanoseconds)) {
    return absl::InvalidArgumentError(absl::StrCat("the time ", text, " is not within 292 years from 1970"));
  }
  return absl::ToUnixNanos(time);
}

absl::Status AddEvent(int64_t time, const std::string& mark, EventStream& stream) {
  if (mark.size() > kMostMarkBytes) {
    return absl::InvalidArgumentError(absl::StrCat("a mark has ", mark.size(), " bytes, more than ", kMostMarkBytes));
  }
  if (!stream.times_ns.empty() && time < stream.times_ns.back()) {
    return absl::InvalidArgumentError("the time is before that of the event before");
  }
  stream.times_ns.push_back(time);
  stream.marks.push_back(MarkName(mark));
  return absl::OkStatus();
}

// Streams as lines are read.
class Reader {
 public:
  explicit Reader(double unit) : unit_(unit) {}
  virtual ~Reader() = default;
  virtual absl::Status Take(const std::string& line) = 0;

  std::vector<EventStream> streams;

 protected:
  const double unit_;
};

class CsvReader final : public Reader {
 public:
  using Reader::Reader;

  absl::Status Take(const std::string& line) override {
    const std::vector<std::string> fields = absl::StrSplit(line, ',');
    if (!header_) return TakeHeader(fields);
    if (fields.size() != columns_) {
      return absl::InvalidArgumentError(absl::StrCat(fields.size(), " fields, not ", columns_));
    }
    const absl::StatusOr<int64_t> time = TimeOf(Field(fields, time_), unit_);
    if (!time.ok()) return time.status();
    const std::string series = Field(fields, series_);
    const auto [at, added] = places_.try_emplace(series, streams.size());
    if (added) streams.push_back({.series = series, .times_ns = {}, .marks = {}});
    return AddEvent(*time, Field(fields, mark_), streams[at->second]);
  }

 private:
  static std::string Field(const std::vector<std::string>& fields, std::optional<size_t> column) {
    return column.has_value() ? std::string(absl::StripAsciiWhitespace(fields[*column])) : "";
  }

  absl::Status TakeHeader(const std::vector<std::string>& fields) {
    header_ = true;
    columns_ = fields.size();
    for (size_t i = 0; i < fields.size(); ++i) {
      const std::string name = Field(fields, i);
      if (name == "time") time_ = i;
      if (name == "mark") mark_ = i;
      if (name == "series") series_ = i;
    }
    return time_.has_value() ? absl::OkStatus() : absl::InvalidArgumentError("the header has no column time");
  }

  bool header_ = false;
  size_t columns_ = 0;
  std::optional<size_t> time_, mark_, series_;
  std::map<std::string, size_t> places_;
};

class JsonReader final : public Reader {
 public:
  using Reader::Reader;

  absl::Status Take(const std::string& line) override {
    const nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
    if (!json.is_object()) return absl::InvalidArgumentError("no JSON object");
    const auto times = json.find("times"), marks = json.find("marks");
    if (times == json.end() || !times->is_array()) return absl::InvalidArgumentError("no array \"times\"");
    const bool marked = marks != json.end();
    if (marked && (!marks->is_array() || marks->size() != times->size())) {
      return absl::InvalidArgumentError("\"marks\" is no array as long as \"times\"");
    }
    EventStream stream;
    for (size_t i = 0; i < times->size(); ++i) {
      const absl::Status status = TakeOne((*times)[i], marked ? (*marks)[i] : nlohmann::json(""), stream);
      if (!status.ok()) return absl::InvalidArgumentError(absl::StrCat("event ", i, ": ", status.message()));
    }
    streams.push_back(std::move(stream));
    return absl::OkStatus();
  }

 private:
  absl::Status TakeOne(const nlohmann::json& time, const nlohmann::json& mark, EventStream& stream) {
    if (!time.is_number()) return absl::InvalidArgumentError("the time is no number");
    if (!mark.is_string() && !mark.is_number_integer()) {
      return absl::InvalidArgumentError("the mark is no text and no whole number");
    }
    const absl::StatusOr<int64_t> ns = TimeOf(time.dump(), unit_);
    if (!ns.ok()) return ns.status();
    return AddEvent(*ns, mark.is_string() ? mark.get<std::string>() : mark.dump(), stream);
  }
};

}  // namespace

bool WholeUnits(const std::vector<EventStream>& streams, double unit) {
  const auto step = static_cast<int64_t>(std::llround(unit * 1e9));
  const auto whole = [step](int64_t time) { return time % step == 0; };
  return step >= 1 && std::all_of(streams.begin(), streams.end(), [&](const EventStream& stream) {
           return std::all_of(stream.times_ns.begin(), stream.times_ns.end(), whole);
         });
}

// FNV-1a.
uint64_t MarkName(const std::string& text) {
  uint64_t name = 0xcbf29ce484222325;
  for (const char byte : text) name = (name ^ static_cast<uint8_t>(byte)) * 0x100000001b3;
  return name;
}

absl::StatusOr<std::vector<EventStream>> ReadEventFile(const std::string& path, double unit) {
  absl::StatusOr<forecasting::LineReader> lines = forecasting::LineReader::Open(path);
  if (!lines.ok()) return lines.status();
  CsvReader csv(unit);
  JsonReader json(unit);
  Reader& reader = absl::EndsWith(path, ".csv") ? static_cast<Reader&>(csv) : json;
  for (std::string line; lines->Next(line);) {
    const std::string stripped(absl::StripAsciiWhitespace(line));
    if (stripped.empty()) continue;
    if (const absl::Status status = reader.Take(stripped); !status.ok()) return lines->Error(status.message());
  }
  if (absl::Status status = lines->status(); !status.ok()) return status;
  if (reader.streams.empty()) return absl::InvalidArgumentError(absl::StrCat(path, ": no events"));
  return std::move(reader.streams);
}

}  // namespace aaren::events
