#include "server/operate/trace/span_buffer.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace aaren::trace {
namespace {

// wait_for adds the wait to the present time, and an endless wait would overflow.
constexpr absl::Duration kLongest = absl::Hours(1);

}  // namespace

void SpanBuffer::Add(std::vector<Span> spans) {
  const std::lock_guard lock(mutex_);
  // All or none: a trace without some of its spans would mislead.
  if (closed_ || spans_.size() + spans.size() > most_) {
    dropped_ += spans.size();
    return;
  }
  spans_.insert(spans_.end(), std::make_move_iterator(spans.begin()), std::make_move_iterator(spans.end()));
  if (spans_.size() >= wanted_) enough_.notify_one();
}

std::vector<Span> SpanBuffer::Take(size_t batch, absl::Duration wait) {
  std::unique_lock lock(mutex_);
  wanted_ = batch;
  enough_.wait_for(lock, absl::ToChronoNanoseconds(std::min(wait, kLongest)),
                   [this, batch] { return closed_ || spans_.size() >= batch; });
  if (spans_.size() <= batch) return std::exchange(spans_, {});
  const auto end = spans_.begin() + static_cast<ptrdiff_t>(batch);
  std::vector<Span> taken(std::make_move_iterator(spans_.begin()), std::make_move_iterator(end));
  spans_.erase(spans_.begin(), end);
  return taken;
}

void SpanBuffer::Close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  enough_.notify_one();
}

bool SpanBuffer::closed() const {
  const std::lock_guard lock(mutex_);
  return closed_;
}

uint64_t SpanBuffer::dropped() const {
  const std::lock_guard lock(mutex_);
  return dropped_;
}

}  // namespace aaren::trace
