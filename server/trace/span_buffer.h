#ifndef AAREN_SERVER_TRACE_SPAN_BUFFER_H_
#define AAREN_SERVER_TRACE_SPAN_BUFFER_H_

// The SpanBuffer holds spans between the shards, which end them, and the exporter, which sends them. It is bounded:
// what finds no room is dropped and counted, so a collector that is slow or away costs spans and nothing else.
//
// Threading: safe. A shard waits for it no longer than another's vector is moved.

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "absl/time/time.h"
#include "server/trace/span.h"

namespace aaren::trace {

class SpanBuffer {
 public:
  static constexpr size_t kMostSpans = 8192;

  explicit SpanBuffer(size_t most = kMostSpans) : most_(most) {}

  // All of them or, if there is no room for all, none.
  void Add(std::vector<Span> spans);

  // Waits until there are `batch` of them, it is closed, or for `wait`, an hour at most, and takes `batch` at most. A
  // wall clock that is set back makes that no longer.
  std::vector<Span> Take(size_t batch, absl::Duration wait);

  // Nobody waits for more, and what is added from now on is dropped.
  void Close();
  bool closed() const;

  uint64_t dropped() const;

 private:
  const size_t most_;
  mutable std::mutex mutex_;  // guards what follows. Not Abseil's: that waits by the wall clock, which may be set back
  std::condition_variable enough_;  // there are wanted_, or it was closed
  std::vector<Span> spans_;
  size_t wanted_ = 0;  // by whoever waits, who is not woken for less
  uint64_t dropped_ = 0;
  bool closed_ = false;
};

}  // namespace aaren::trace

#endif  // AAREN_SERVER_TRACE_SPAN_BUFFER_H_
