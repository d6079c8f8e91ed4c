#ifndef AAREN_SERVER_OPERATE_TRACE_SPAN_H_
#define AAREN_SERVER_OPERATE_TRACE_SPAN_H_

// A Span is a stretch of time in the life of a message, in OpenTelemetry's words. A span has numbers and names only: no
// value of a series, no id of a session, and nothing personal but the tenant. Threading: plain values.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/escaping.h"

namespace aaren::trace {

using TraceId = std::array<uint8_t, 16>;  // zero: none
using SpanId = std::array<uint8_t, 8>;    // zero: none

struct SpanContext {
  TraceId trace{};
  SpanId span{};
};

// The form in `traceparent` and in the log.
template <size_t N>
std::string Hex(const std::array<uint8_t, N>& id) {
  return absl::BytesToHexString({reinterpret_cast<const char*>(id.data()), id.size()});
}

using Attribute = std::pair<const char*, std::variant<int64_t, std::string>>;

struct Span {
  enum class Kind { kInternal, kServer, kClient };

  const char* name = "";
  Kind kind = Kind::kInternal;
  SpanContext context = {};
  SpanId parent{};
  int64_t begin_ns = 0, end_ns = 0;  // by the wall clock, since 1970-01-01 UTC
  std::vector<Attribute> attributes = {};
  std::vector<SpanContext> links = {};
  std::string error = {};  // empty: no error
};

}  // namespace aaren::trace

#endif  // AAREN_SERVER_OPERATE_TRACE_SPAN_H_
