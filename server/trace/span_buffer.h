#ifndef AAREN_SERVER_TRACE_SPAN_BUFFER_H_
#define AAREN_SERVER_TRACE_SPAN_BUFFER_H_

// The SpanBuffer holds spans between the shards, which end them, and the exporter, which sends them. It is bounded: what
// finds no room is dropped and counted, so a collector that is slow or away costs spans and nothing else.
//
// Threading: safe. A shard waits for it no longer than another's vector is moved.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/trace/span.h"

namespace aaren::trace {

class SpanBuffer {
 public:
  static constexpr size_t kMostSpans = 8192;

  explicit SpanBuffer(size_t most = kMostSpans) : most_(most) {}

  // All of them or, if there is no room for all, none.
  void Add(std::vector<Span> spans) ABSL_LOCKS_EXCLUDED(mutex_);

  // Waits until there are `batch` of them, it is closed, or for so long, and takes `batch` at most.
  std::vector<Span> Take(size_t batch, absl::Duration wait) ABSL_LOCKS_EXCLUDED(mutex_);

  // Nobody waits for more, and what is added from now on is dropped.
  void Close() ABSL_LOCKS_EXCLUDED(mutex_);
  bool closed() const ABSL_LOCKS_EXCLUDED(mutex_);

  uint64_t dropped() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  const size_t most_;
  mutable absl::Mutex mutex_;
  std::vector<Span> spans_ ABSL_GUARDED_BY(mutex_);
  uint64_t dropped_ ABSL_GUARDED_BY(mutex_) = 0;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace aaren::trace

#endif  // AAREN_SERVER_TRACE_SPAN_BUFFER_H_
