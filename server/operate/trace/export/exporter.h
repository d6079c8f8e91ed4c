#ifndef AAREN_SERVER_OPERATE_TRACE_EXPORT_EXPORTER_H_
#define AAREN_SERVER_OPERATE_TRACE_EXPORT_EXPORTER_H_

// An Exporter sends the spans of a SpanBuffer to a collector, by OTLP over gRPC: one batch after another, each within a
// deadline. A batch refused or not answered in time is dropped and counted; the log tells at most once a minute.
// Nothing is sent twice: a collector may take a batch and fail to answer.
//
// Threading: one thread of its own; Stop by the owner, counters by any thread.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "grpcpp/client_context.h"
#include "grpcpp/security/credentials.h"
#include "opentelemetry/proto/collector/trace/v1/trace_service.grpc.pb.h"
#include "server/operate/trace/export/export_request.h"
#include "server/operate/trace/span_buffer.h"

namespace aaren::trace {

struct ExporterOptions {
  std::string endpoint;  // HOST:PORT
  std::shared_ptr<grpc::ChannelCredentials> credentials = grpc::InsecureChannelCredentials();
  Resource resource = {};
  size_t batch = 512;                          // spans
  absl::Duration period = absl::Seconds(1);    // between two batches, unless a batch is full earlier
  absl::Duration deadline = absl::Seconds(5);  // for a batch
};

class Exporter {
 public:
  // Begins at once, without a check of the collector. `buffer` outlives the exporter.
  Exporter(ExporterOptions options, SpanBuffer& buffer);
  ~Exporter() { Stop(absl::ZeroDuration()); }

  // Closes the buffer, sends the remaining spans, gives up after `patience`, and ends the thread.
  void Stop(absl::Duration patience);

  // Spans taken by a collector, and spans lost, in the buffer or on the way.
  uint64_t sent() const { return sent_.load(std::memory_order_relaxed); }
  uint64_t dropped() const { return lost_.load(std::memory_order_relaxed) + buffer_.dropped(); }

 private:
  using Service = opentelemetry::proto::collector::trace::v1::TraceService;

  void Connect();
  void Run();
  void Send(const std::vector<Span>& spans);
  bool Enter(grpc::ClientContext& call) ABSL_LOCKS_EXCLUDED(mutex_);
  void LogFailure(const std::string& reason);

  const ExporterOptions options_;
  SpanBuffer& buffer_;
  std::unique_ptr<Service::Stub> stub_;  // the thread's
  std::atomic<uint64_t> sent_{0}, lost_{0};
  std::chrono::steady_clock::time_point next_log_{};  // the thread's

  absl::Mutex mutex_;
  grpc::ClientContext* call_ ABSL_GUARDED_BY(mutex_) = nullptr;  // under way
  bool given_up_ ABSL_GUARDED_BY(mutex_) = false;                // nothing more is sent
  std::promise<void> done_;                                      // nothing is left to send
  std::thread thread_;
};

}  // namespace aaren::trace

#endif  // AAREN_SERVER_OPERATE_TRACE_EXPORT_EXPORTER_H_
