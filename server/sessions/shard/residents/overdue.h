#ifndef AAREN_SERVER_SESSIONS_SHARD_RESIDENTS_OVERDUE_H_
#define AAREN_SERVER_SESSIONS_SHARD_RESIDENTS_OVERDUE_H_

// Overdue has the deadlines of open sessions of events: when the next event counts as overdue, if the Open asked. A
// session has a single deadline, from the Open or the last step until the deadline was told or the stream lets go of
// the session. A deadline survives a demotion, since long silences and demotions go together.
//
// A deadline costs about kBytes of memory, a change takes a time logarithmic in the number of deadlines, and a Tell
// without a due deadline takes none.
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

// An event still to come.
struct MissingEvent {
  queue::Attachment* stream = nullptr;
  session::Handle handle = 0;
  session::OverdueReply reply;
};

class Overdue {
 public:
  static constexpr size_t kBytes = 128;        // memory of a deadline, about
  static constexpr size_t kMostTold = 1024;    // deadlines in a Tell: a fraction of a millisecond
  static constexpr int64_t kPostponeMs = 100;  // between two attempts to tell a deadline

  // `budget`, for the cost of sessions, outlives the Overdue; null: deadlines are not counted.
  explicit Overdue(memory::MemoryBudget* budget) : budget_(budget) {}

  // Sets the deadline of the session with the epoch, in place of an earlier deadline.
  void Expect(uint64_t epoch, int64_t due_ms, const MissingEvent& missing);

  // Without a deadline does nothing.
  void Forget(uint64_t epoch);

  // Calls `tell` for due deadlines: ends the deadline if `tell` is true, and postpones the deadline otherwise.
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
