#include "server/session/token_queue.h"

#include <chrono>

namespace aaren {

int64_t SteadyNanos() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void TokenQueue::Push(Session& session, const TokensView& tokens, uint32_t skip, int64_t step_ns) {
  if (arrival_ns_ == 0) arrival_ns_ = SteadyNanos();
  QueuedItem& item = items_.emplace_back();
  const size_t skipped = size_t{skip} * session.channels;
  item.session = &session;
  item.tokens = static_cast<uint32_t>((tokens.values.size() - skipped) / session.channels);
  item.values = values_.size();
  item.times = times_.size();
  item.has_times = !tokens.times_ns.empty();
  item.silent = tokens.silent;
  item.step_ns = step_ns;
  item.arrival_ns = arrival_ns_;
  values_.insert(values_.end(), tokens.values.begin() + skipped, tokens.values.end());
  if (item.has_times) times_.insert(times_.end(), tokens.times_ns.begin() + skip, tokens.times_ns.end());
  session.queued += item.tokens;
}

absl::Span<QueuedItem> TokenQueue::Front(size_t max_values) {
  size_t items = 0;
  while (items < items_.size()) {
    const size_t end = items + 1 < items_.size() ? items_[items + 1].values : values_.size();
    if (items > 0 && end > max_values) break;
    ++items;
  }
  return absl::MakeSpan(items_).subspan(0, items);
}

void TokenQueue::Pop(size_t items) {
  arrival_ns_ = 0;
  if (items == items_.size()) {
    items_.clear();
    values_.clear();
    times_.clear();
    return;
  }
  const size_t values = items_[items].values;
  const size_t times = items_[items].times;
  items_.erase(items_.begin(), items_.begin() + items);
  values_.erase(values_.begin(), values_.begin() + values);
  times_.erase(times_.begin(), times_.begin() + times);
  for (QueuedItem& item : items_) {
    item.values -= values;
    item.times -= times;
  }
}

void TokenQueue::Forget(const Session& session) {
  for (QueuedItem& item : items_) {
    if (item.session == &session) item.session = nullptr;
  }
}

}  // namespace aaren
