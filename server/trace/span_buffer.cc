#include "server/trace/span_buffer.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace aaren::trace {

void SpanBuffer::Add(std::vector<Span> spans) {
  absl::MutexLock lock(&mutex_);
  if (closed_ || spans_.size() + spans.size() > most_) {
    dropped_ += spans.size();
    return;
  }
  spans_.insert(spans_.end(), std::make_move_iterator(spans.begin()), std::make_move_iterator(spans.end()));
}

std::vector<Span> SpanBuffer::Take(size_t batch, absl::Duration wait) {
  absl::MutexLock lock(&mutex_);
  const auto full = [this, batch]() ABSL_SHARED_LOCKS_REQUIRED(mutex_) { return closed_ || spans_.size() >= batch; };
  mutex_.AwaitWithTimeout(absl::Condition(&full), wait);
  if (spans_.size() <= batch) return std::exchange(spans_, {});
  const auto end = spans_.begin() + static_cast<ptrdiff_t>(batch);
  std::vector<Span> taken(std::make_move_iterator(spans_.begin()), std::make_move_iterator(end));
  spans_.erase(spans_.begin(), end);
  return taken;
}

void SpanBuffer::Close() {
  absl::MutexLock lock(&mutex_);
  closed_ = true;
}

bool SpanBuffer::closed() const {
  absl::MutexLock lock(&mutex_);
  return closed_;
}

uint64_t SpanBuffer::dropped() const {
  absl::MutexLock lock(&mutex_);
  return dropped_;
}

}  // namespace aaren::trace
