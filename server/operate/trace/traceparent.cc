#include "server/operate/trace/traceparent.h"

#include <algorithm>

#include "absl/strings/escaping.h"

namespace aaren::trace {
namespace {

constexpr size_t kLength = 55;  // for version 00
constexpr size_t kTraceAt = 3, kSpanAt = 36, kFlagsAt = 53;

bool IsLowerHex(std::string_view text) { return text.find_first_not_of("0123456789abcdef") == std::string_view::npos; }

}  // namespace

std::optional<SpanContext> ParseTraceparent(std::string_view text) {
  if (text.size() < kLength || text[kTraceAt - 1] != '-' || text[kSpanAt - 1] != '-' || text[kFlagsAt - 1] != '-') {
    return std::nullopt;
  }
  const std::string_view version = text.substr(0, 2), trace = text.substr(kTraceAt, 32),
                         span = text.substr(kSpanAt, 16);
  if (!IsLowerHex(version) || !IsLowerHex(trace) || !IsLowerHex(span) || !IsLowerHex(text.substr(kFlagsAt, 2))) {
    return std::nullopt;
  }
  // The standard forbids version ff, and version 00 ends with the flags.
  if (version == "ff" || (version == "00" && text.size() > kLength)) return std::nullopt;
  if (text.size() > kLength && text[kLength] != '-') return std::nullopt;
  SpanContext context;
  const auto copy = [](std::string_view hex, auto& id) {
    const std::string bytes = absl::HexStringToBytes({hex.data(), hex.size()});
    std::copy(bytes.begin(), bytes.end(), id.begin());
  };
  copy(trace, context.trace);
  copy(span, context.span);
  // The standard calls ids of zeros invalid.
  if (context.trace == TraceId{} || context.span == SpanId{}) return std::nullopt;
  return context;
}

}  // namespace aaren::trace
