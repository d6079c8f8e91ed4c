#ifndef AAREN_SERVER_OPERATE_TRACE_EXPORT_EXPORT_REQUEST_H_
#define AAREN_SERVER_OPERATE_TRACE_EXPORT_EXPORT_REQUEST_H_

// Spans as OTLP's messages (opentelemetry/proto/trace/v1/trace.proto). Threading: pure functions.

#include <string>
#include <utility>
#include <vector>

#include "opentelemetry/proto/collector/trace/v1/trace_service.pb.h"
#include "server/operate/trace/span.h"

namespace aaren::trace {

using ExportRequest = opentelemetry::proto::collector::trace::v1::ExportTraceServiceRequest;

// The sender of the spans: "service.name" and whatever distinguishes the server.
using Resource = std::vector<std::pair<std::string, std::string>>;

ExportRequest ToRequest(const Resource& resource, const std::vector<Span>& spans);

}  // namespace aaren::trace

#endif  // AAREN_SERVER_OPERATE_TRACE_EXPORT_EXPORT_REQUEST_H_
