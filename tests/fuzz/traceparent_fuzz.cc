// A client's `traceparent`: the ids of an accepted header equal its hexadecimal text.

#include "server/operate/trace/traceparent.h"
#include "tests/fuzz/target.h"

namespace aaren::fuzz {

void RunTraceparent(absl::string_view bytes) {
  const auto context = trace::ParseTraceparent({bytes.data(), bytes.size()});
  if (!context) return;
  Must(context->trace != trace::TraceId{} && context->span != trace::SpanId{}, "an id that is none");
  Must(bytes.substr(3, 32) == trace::Hex(context->trace), "another trace");
  Must(bytes.substr(36, 16) == trace::Hex(context->span), "another span");
}

}  // namespace aaren::fuzz
