#ifndef AAREN_SERVER_SESSION_TOKEN_QUEUE_H_
#define AAREN_SERVER_SESSION_TOKEN_QUEUE_H_

// The TokenQueue holds the items that wait for a shard's next step, in order of arrival. Their numbers lie one after
// another in two arrays that keep their memory, so that nothing is allocated per item. Threading: belongs to one shard.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "server/session/session.h"

namespace aaren {

struct QueuedItem {
  Session* session = nullptr;  // resident as long as the item waits; null: forgotten
  uint32_t tokens = 0;
  uint32_t next = Session::kNoItem;  // of the same session, in the step under way
  size_t values = 0;                 // where its tokens x channels values begin
  size_t times = 0;                  // where its times begin, if it has any
  bool has_times = false;
  bool silent = false;
  int64_t step_ns = 0;     // after its last token
  int64_t arrival_ns = 0;  // steady clock, read once per drain
};

class TokenQueue {
 public:
  // Puts the item's tokens from `skip` on behind all others. REQUIRES: they are checked and follow the session's last.
  void Push(Session& session, const TokensView& tokens, uint32_t skip, int64_t step_ns);

  // The oldest items: as many as have max_values values or fewer, but one at least. Empty if nothing waits. Good until
  // the next Push or Pop.
  absl::Span<QueuedItem> Front(size_t max_values);
  void Pop(size_t items);

  // The session's items stay in the queue and are nobody's.
  void Forget(const Session& session);

  const float* values(const QueuedItem& item) const { return &values_[item.values]; }
  const int64_t* times(const QueuedItem& item) const { return item.has_times ? &times_[item.times] : nullptr; }

  bool empty() const { return items_.empty(); }
  size_t value_count() const { return values_.size(); }

 private:
  std::vector<QueuedItem> items_;
  std::vector<float> values_;
  std::vector<int64_t> times_;
  int64_t arrival_ns_ = 0;  // 0: read the clock at the next Push
};

// Nanoseconds of the clock that arrivals are measured with.
int64_t SteadyNanos();

}  // namespace aaren

#endif  // AAREN_SERVER_SESSION_TOKEN_QUEUE_H_
