#include "server/operate/trace/export/export_request.h"

#include "server/program/version/version.h"

namespace aaren::trace {
namespace {

namespace otlp = opentelemetry::proto;

// An id in OTLP's form: bytes.
template <size_t N>
std::string Bytes(const std::array<uint8_t, N>& id) {
  return std::string(id.begin(), id.end());
}

otlp::trace::v1::Span::SpanKind ToKind(Span::Kind kind) {
  switch (kind) {
    case Span::Kind::kServer:
      return otlp::trace::v1::Span::SPAN_KIND_SERVER;
    case Span::Kind::kClient:
      return otlp::trace::v1::Span::SPAN_KIND_CLIENT;
    case Span::Kind::kInternal:
      break;
  }
  return otlp::trace::v1::Span::SPAN_KIND_INTERNAL;
}

void Fill(const Attribute& attribute, otlp::common::v1::KeyValue& out) {
  out.set_key(attribute.first);
  if (const auto* number = std::get_if<int64_t>(&attribute.second)) {
    out.mutable_value()->set_int_value(*number);
  } else {
    out.mutable_value()->set_string_value(std::get<std::string>(attribute.second));
  }
}

void Fill(const Span& span, otlp::trace::v1::Span& out) {
  out.set_trace_id(Bytes(span.context.trace));
  out.set_span_id(Bytes(span.context.span));
  // OTLP wants the field of a root span to be empty.
  if (span.parent != SpanId{}) out.set_parent_span_id(Bytes(span.parent));
  out.set_name(span.name);
  out.set_kind(ToKind(span.kind));
  out.set_start_time_unix_nano(static_cast<uint64_t>(span.begin_ns));
  out.set_end_time_unix_nano(static_cast<uint64_t>(span.end_ns));
  for (const Attribute& attribute : span.attributes) Fill(attribute, *out.add_attributes());
  for (const SpanContext& link : span.links) {
    otlp::trace::v1::Span::Link& to = *out.add_links();
    to.set_trace_id(Bytes(link.trace));
    to.set_span_id(Bytes(link.span));
  }
  if (span.error.empty()) return;
  out.mutable_status()->set_code(otlp::trace::v1::Status::STATUS_CODE_ERROR);
  out.mutable_status()->set_message(span.error);
}

}  // namespace

ExportRequest ToRequest(const Resource& resource, const std::vector<Span>& spans) {
  ExportRequest request;
  otlp::trace::v1::ResourceSpans& of_resource = *request.add_resource_spans();
  for (const auto& [name, value] : resource) {
    Fill({name.c_str(), value}, *of_resource.mutable_resource()->add_attributes());
  }
  otlp::trace::v1::ScopeSpans& of_scope = *of_resource.add_scope_spans();
  of_scope.mutable_scope()->set_name("aaren-server");
  of_scope.mutable_scope()->set_version(version::kVersion);
  for (const Span& span : spans) Fill(span, *of_scope.add_spans());
  return request;
}

}  // namespace aaren::trace
