#ifndef AAREN_SERVER_SESSIONS_SHARD_RESIDENTS_OVERDUE_H_
#define AAREN_SERVER_SESSIONS_SHARD_RESIDENTS_OVERDUE_H_

// Overdue knows for each open session of events that asked for it when the next event counts as overdue. A session has
// one deadline, from its Open or its last step until the deadline was told or the stream lets go of the session. A
// deadline survives the session's way to the store, since long silences and demotions go together.
//
// A deadline costs some kBytes, a change a logarithm of their number, and a Tell without a due deadline nothing.
// Threading: belongs to one shard.

#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "server/machine/memory/memory_budget.h"
#include "server/sessions/queue/attachment.h"
#include "server/sessions/session/peer.h"

namespace aaren::shard {

// An event that has not come.
struct MissingEvent {
  queue::Attachment* stream = nullptr;
  session::Handle handle = 0;
  session::OverdueReply reply;
};

class Overdue {
 public:
  static constexpr size_t kBytes = 128;        // memory of a deadline, about
  static constexpr size_t kMostTold = 1024;    // in a Tell: a fraction of a millisecond
  static constexpr int64_t kPostponeMs = 100;  // until a deadline that could not be told is tried again

  // `budget`, for the cost of sessions, outlives this; null: deadlines are not counted.
  explicit Overdue(memory::MemoryBudget* budget) : budget_(budget) {}

  // Sets the deadline of the session with this epoch, in place of an earlier deadline.
  void Expect(uint64_t epoch, int64_t due_ms, const MissingEvent& missing);

  // Without a deadline does nothing.
  void Forget(uint64_t epoch);

  // Ends the deadlines that `tell` has told, of those that are due. A deadline for which `tell` is false is postponed.
  void Tell(int64_t now_ms, absl::FunctionRef<bool(const MissingEvent&)> tell);

  size_t size() const { return by_epoch_.size(); }

 private:
  struct Deadline {
    int64_t due_ms = 0;
    MissingEvent missing;
  };

  memory::MemoryBudget* const budget_;
  absl::flat_hash_map<uint64_t, Deadline> by_epoch_;
  absl::btree_set<std::pair<int64_t, uint64_t>> in_order_;  // due_ms, epoch
};

}  // namespace aaren::shard

#endif  // AAREN_SERVER_SESSIONS_SHARD_RESIDENTS_OVERDUE_H_
