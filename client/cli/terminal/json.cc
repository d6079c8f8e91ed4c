#include "client/cli/terminal/json.h"

#include <algorithm>
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

constexpr int kUncertainDigits = 3;

// Appends the sum with `count` digits, if these digits still tell `relative`. Else false, and nothing is appended.
bool AppendDigits(double offset, float relative, int count, std::string& out) {
  if (count < 1) return false;
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, offset + static_cast<double>(relative),
                                 std::chars_format::general, count);
  double read = 0;
  std::from_chars(digits, end.ptr, read);
  if (static_cast<float>(read - offset) != relative) return false;
  out.append(digits, end.ptr);
  return true;
}

}  // namespace

void AppendJson(float value, std::string& out) { AppendShortest(value, out); }
void AppendJson(double value, std::string& out) { AppendShortest(value, out); }
void AppendJson(bool value, std::string& out) { out += value ? "true" : "false"; }

void AppendJsonSum(double offset, float relative, std::string& out) {
  constexpr int kMostDigits = 15;  // digits that every double keeps
  const double sum = offset + static_cast<double>(relative);
  if (offset == 0.0) return AppendJson(relative, out);
  if (relative == static_cast<float>(0.0 - offset)) return AppendJson(0.0, out);
  if (relative == 0.0f || !std::isfinite(sum) || sum == 0.0) return AppendJson(sum, out);
  int exponent;
  std::frexp(relative, &exponent);  // the distance of neighbouring floats is 2^(exponent - 24)
  const double decimals = std::ceil((24 - exponent) * std::log10(2.0));
  const int count = static_cast<int>(decimals + std::floor(std::log10(std::abs(sum)))) + 1;
  if (count > kMostDigits) return AppendJson(sum, out);
  // A forecast of 18.7 beside an offset of 21.3 has an error in its last digits, so fewer digits are tried first.
  if (AppendDigits(offset, relative, count - kUncertainDigits, out)) return;
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, sum, std::chars_format::general, std::max(count, 1));
  out.append(digits, end.ptr);
}

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
