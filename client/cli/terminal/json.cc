#include "client/cli/terminal/json.h"

#include <charconv>
#include <cmath>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace aaren::cli {
namespace {

constexpr absl::string_view kReplacement = "\xEF\xBF\xBD";

bool IsContinuation(absl::string_view text, size_t i) {
  return i < text.size() && (static_cast<uint8_t>(text[i]) & 0xC0) == 0x80;
}

// The length of the UTF-8 character that `text`, not empty, begins with; 0 if it begins with none (RFC 3629).
size_t CharacterSize(absl::string_view text) {
  const uint8_t first = static_cast<uint8_t>(text[0]);
  if (first < 0x80) return 1;
  if (!IsContinuation(text, 1)) return 0;
  const uint8_t second = static_cast<uint8_t>(text[1]);
  if (first >= 0xC2 && first <= 0xDF) return 2;
  if (!IsContinuation(text, 2)) return 0;
  const bool overlong3 = first == 0xE0 && second < 0xA0;
  const bool surrogate = first == 0xED && second >= 0xA0;
  if (first >= 0xE0 && first <= 0xEF) return overlong3 || surrogate ? 0 : 3;
  const bool overlong4 = first == 0xF0 && second < 0x90;
  const bool beyond = first == 0xF4 && second >= 0x90;
  if (first < 0xF0 || first > 0xF4 || overlong4 || beyond || !IsContinuation(text, 3)) return 0;
  return 4;
}

template <typename Float>
void AppendShortest(Float value, std::string& out) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  char digits[32];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

void AppendEscaped(char c, std::string& out) {
  if (c == '"' || c == '\\') {
    out += '\\';
    out += c;
  } else if (static_cast<uint8_t>(c) < 0x20) {
    absl::StrAppendFormat(&out, "\\u%04x", static_cast<uint8_t>(c));
  } else {
    out += c;
  }
}

}  // namespace

void AppendJson(float value, std::string& out) { AppendShortest(value, out); }
void AppendJson(double value, std::string& out) { AppendShortest(value, out); }
void AppendJson(bool value, std::string& out) { out += value ? "true" : "false"; }

void AppendJson(absl::string_view text, std::string& out) {
  out += '"';
  for (char c : ToUtf8(text)) AppendEscaped(c, out);
  out += '"';
}

void AppendJson(absl::Span<const float> values, std::string& out) {
  out += '[';
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) out += ',';
    AppendJson(values[i], out);
  }
  out += ']';
}

std::string ToUtf8(absl::string_view text) {
  std::string valid;
  while (!text.empty()) {
    const size_t size = CharacterSize(text);
    absl::StrAppend(&valid, size == 0 ? kReplacement : text.substr(0, size));
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return valid;
}

JsonObject& JsonObject::Key(absl::string_view key) {
  if (!first_) out_ += ',';
  first_ = false;
  AppendJson(key, out_);
  out_ += ':';
  return *this;
}

}  // namespace aaren::cli
