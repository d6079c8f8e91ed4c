#include "client/cli/terminal/json.h"

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "client/cli/terminal/shown.h"

namespace aaren::cli {
namespace {

// `text` in quotes, escaped for JSON, with U+FFFD for bytes that are no UTF-8.
std::string Quoted(absl::string_view text) {
  return nlohmann::json(std::string(text))
      .dump(/*indent=*/-1, ' ', /*ensure_ascii=*/false, nlohmann::json::error_handler_t::replace);
}

template <typename Float>
void AppendShortest(Float value, std::string& out) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  // The shortest form of a double has 24 characters at most.
  char digits[32];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

}  // namespace

void AppendJson(float value, std::string& out) { AppendShortest(value, out); }
void AppendJson(double value, std::string& out) { AppendShortest(value, out); }
void AppendJson(bool value, std::string& out) { out += value ? "true" : "false"; }

void AppendJson(absl::string_view text, std::string& out) { out += EscapedJson(Quoted(text)); }

void AppendJson(absl::Span<const float> values, std::string& out) {
  out += '[';
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) out += ',';
    AppendJson(values[i], out);
  }
  out += ']';
}

// On the way through JSON nlohmann-json replaces the bytes that are no UTF-8.
std::string ToUtf8(absl::string_view text) { return nlohmann::json::parse(Quoted(text)).get<std::string>(); }

JsonObject& JsonObject::Key(absl::string_view key) {
  if (!first_) out_ += ',';
  first_ = false;
  AppendJson(key, out_);
  out_ += ':';
  return *this;
}

}  // namespace aaren::cli
