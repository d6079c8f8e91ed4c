#ifndef AAREN_SERVER_OPERATE_TRACE_SPAN_BUFFER_H_
#define AAREN_SERVER_OPERATE_TRACE_SPAN_BUFFER_H_

// The SpanBuffer holds spans between the shards, which end spans, and the exporter, which sends them. The buffer is
// bounded: spans without room are dropped and counted. A collector that is slow or away costs spans and nothing else.
//
// Threading: safe. A shard waits at most for the move of a vector.

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "absl/time/time.h"
#include "server/operate/trace/span.h"

namespace aaren::trace {

class SpanBuffer {
 public:
  static constexpr size_t kMostSpans = 8192;

  explicit SpanBuffer(size_t most = kMostSpans) : most_(most) {}

  // Adds all spans or, without room for all, none.
  void Add(std::vector<Span> spans);

  // Waits for `batch` spans, for Close, or for `wait`, an hour at most, and takes `batch` at most. A wall clock that is
  // set back does not prolong the wait.
  std::vector<Span> Take(size_t batch, absl::Duration wait);

  // Ends all waits; spans added from now on are dropped.
  void Close();
  bool closed() const;

  uint64_t dropped() const;

 private:
  const size_t most_;
  mutable std::mutex mutex_;        // guards the members below; no absl::Mutex: its waits follow the wall clock
  std::condition_variable enough_;  // wanted_ spans, or closed
  std::vector<Span> spans_;
  size_t wanted_ = 0;  // for the waiting thread, not woken for less
  uint64_t dropped_ = 0;
  bool closed_ = false;
};

}  // namespace aaren::trace

#endif  // AAREN_SERVER_OPERATE_TRACE_SPAN_BUFFER_H_
