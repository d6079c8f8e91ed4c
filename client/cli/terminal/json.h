#ifndef AAREN_CLIENT_CLI_TERMINAL_JSON_H_
#define AAREN_CLIENT_CLI_TERMINAL_JSON_H_

// Writes JSON, piece by piece, onto the end of a string. Numbers have the fewest digits that read back to the
// same bits. NaN and infinity become null, as JSON has neither. Bytes that are no UTF-8 become U+FFFD: the text
// is valid for every header of a file. Invisible characters become \u escapes, since lines may be read on a
// terminal.
//
// Texts are nlohmann's. Numbers and objects are by hand. For a forecast of 24 steps and nine quantiles, nlohmann's
// objects of floats print the same digits in 38 us of CPU, against 10 by hand. Lines outside the stream's path are by
// hand, too: a number looks alike in all lines.
//
//   std::string text;
//   JsonObject(text).Add("name", "a").Add("mase", 0.25).Close();    // {"name":"a","mase":0.25}
//
// Threading: plain values.

#include <concepts>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace aaren::cli {

void AppendJson(float value, std::string& out);
void AppendJson(double value, std::string& out);
void AppendJson(bool value, std::string& out);
void AppendJson(absl::string_view text, std::string& out);

// offset + relative, with the digits that the float `relative` tells beside the offset.
void AppendJsonSum(double offset, float relative, std::string& out);

inline void AppendJson(const char* text, std::string& out) { AppendJson(absl::string_view(text), out); }
void AppendJson(absl::Span<const float> values, std::string& out);

template <std::integral Integer>
void AppendJson(Integer value, std::string& out) {
  out += std::to_string(value);
}

template <typename T>
void AppendJson(const std::optional<T>& value, std::string& out) {
  if (value) {
    AppendJson(*value, out);
  } else {
    out += "null";
  }
}

// `text` with every byte that is not part of valid UTF-8 replaced by U+FFFD.
std::string ToUtf8(absl::string_view text);

class JsonObject {
 public:
  // Opens an object at the end of `out`, which outlives the JsonObject.
  explicit JsonObject(std::string& out) : out_(out) { out_ += '{'; }

  // Begins a member: the caller appends the value to the string before the next call.
  JsonObject& Key(absl::string_view key);

  template <typename Value>
  JsonObject& Add(absl::string_view key, const Value& value) {
    Key(key);
    AppendJson(value, out_);
    return *this;
  }

  void Close() { out_ += '}'; }
  void CloseLine() { out_ += "}\n"; }  // a line of JSON lines

 private:
  std::string& out_;
  bool first_ = true;
};

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_TERMINAL_JSON_H_
