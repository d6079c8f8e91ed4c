#include <algorithm>
#include <fstream>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "nlohmann/json.hpp"
#include "tests/bench/bench.h"

namespace aaren::bench {
namespace {

std::string ToText(const Cell& cell) {
  if (const auto* integer = std::get_if<int64_t>(&cell)) return absl::StrCat(*integer);
  if (const auto* number = std::get_if<double>(&cell)) return absl::StrFormat("%.4g", *number);
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  return "-";
}

// A field of RFC 4180.
std::string ToField(const Cell& cell) {
  if (const auto* number = std::get_if<double>(&cell)) return absl::StrFormat("%.9g", *number);
  if (std::holds_alternative<std::monostate>(cell)) return "";
  const std::string text = ToText(cell);
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\"", "\"\""}}), "\"");
}

nlohmann::ordered_json ToJsonValue(const Cell& cell) {
  if (std::holds_alternative<std::monostate>(cell)) return nullptr;
  if (const auto* integer = std::get_if<int64_t>(&cell)) return *integer;
  if (const auto* number = std::get_if<double>(&cell)) return *number;
  return std::get<std::string>(cell);
}

bool SameColumns(const Row& a, const Row& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return x.first == y.first; });
}

// One table: rows [begin, end) of equal columns.
std::string ToBlock(const std::vector<Row>& rows, size_t begin, size_t end) {
  std::string header, body;
  std::vector<std::string> lines(end - begin);
  for (size_t column = 0; column < rows[begin].size(); ++column) {
    size_t width = rows[begin][column].first.size();
    for (size_t row = begin; row < end; ++row) width = std::max(width, ToText(rows[row][column].second).size());
    const int pad = static_cast<int>(width) + 2;
    absl::StrAppend(&header, absl::StrFormat("%*s", pad, rows[begin][column].first));
    for (size_t row = begin; row < end; ++row) {
      absl::StrAppend(&lines[row - begin], absl::StrFormat("%*s", pad, ToText(rows[row][column].second)));
    }
  }
  return absl::StrCat(header, "\n", absl::StrJoin(lines, "\n"), "\n");
}

// The value of the first line of /proc/cpuinfo that begins with `key`.
std::string CpuInfo(const std::string& key) {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    if (!absl::StartsWith(line, key)) continue;
    const std::vector<std::string> parts = absl::StrSplit(line, absl::MaxSplits(": ", 1));
    if (parts.size() == 2) return parts[1];
  }
  return "";
}

}  // namespace

std::string DescribeMachine() {
  const std::string flags = absl::StrCat(" ", CpuInfo("flags"), " ");
  std::string vectors;
  for (const char* flag : {"avx2", "avx512f", "amx_bf16"}) {
    if (absl::StrContains(flags, absl::StrCat(" ", flag, " "))) absl::StrAppend(&vectors, ", ", flag);
  }
  return absl::StrCat(CpuInfo("model name"), ", ", std::thread::hardware_concurrency(), " cores", vectors);
}

std::string ToTable(const std::vector<Row>& rows) {
  std::string text;
  for (size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
    while (end < rows.size() && SameColumns(rows[begin], rows[end])) ++end;
    absl::StrAppend(&text, text.empty() ? "" : "\n", ToBlock(rows, begin, end));
  }
  return text;
}

std::string ToCsv(const std::vector<Row>& rows) {
  std::string text;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (i == 0) {
      absl::StrAppend(
          &text, absl::StrJoin(rows[0], ",", [](std::string* out, const auto& cell) { *out += cell.first; }), "\n");
    }
    absl::StrAppend(
        &text, absl::StrJoin(rows[i], ",", [](std::string* out, const auto& cell) { *out += ToField(cell.second); }),
        "\n");
  }
  return text;
}

std::string ToJson(const std::string& bench, const std::string& machine, const std::vector<Row>& rows) {
  nlohmann::ordered_json json = {{"bench", bench}, {"machine", machine}, {"rows", nlohmann::ordered_json::array()}};
  for (const Row& row : rows) {
    nlohmann::ordered_json object = nlohmann::ordered_json::object();
    for (const auto& [name, cell] : row) object[name] = ToJsonValue(cell);
    json["rows"].push_back(std::move(object));
  }
  return json.dump();
}

}  // namespace aaren::bench
