#ifndef AAREN_SERVER_ACCEPT_PLACEMENT_H_
#define AAREN_SERVER_ACCEPT_PLACEMENT_H_

// A Placement chooses the shard of a new connection: the one that was least busy of late, then the one with the fewest
// connections.
//
// Numbers of connections alone mislead, and so do those of streams: thousands may be idle, and some have ended
// unnoticed. Two busy clients would come to one shard while the other has nothing to do. What a new connection will
// bring is not known: for a moment it counts as a fifth of a shard's time. Threading: none of its own.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"

namespace aaren::accept {

class Placement {
 public:
  explicit Placement(size_t shards)
      : busy_ns_(shards), tenths_(shards), lately_{std::vector<size_t>(shards), std::vector<size_t>(shards)} {}

  // Whether the next period has begun, and Look is due.
  bool Due(absl::Time now) const { return now >= next_period_; }

  // `busy_ns`: how long each shard has worked since its start, [shards].
  void Look(absl::Span<const int64_t> busy_ns, absl::Time now);

  // Whether a shard had work for a hundredth of the last period.
  bool busy() const { return busy_; }

  // `connections` of each shard, [shards].
  size_t Choose(absl::Span<const size_t> connections);

 private:
  bool busy_ = false;
  absl::Time last_look_ = absl::InfinitePast();
  absl::Time next_period_ = absl::InfinitePast();
  std::vector<int64_t> busy_ns_;               // at the last look
  std::vector<size_t> tenths_;                 // of the period before it, that each shard was busy
  std::array<std::vector<size_t>, 2> lately_;  // connections given to each shard: in this period, in the one before
};

}  // namespace aaren::accept

#endif  // AAREN_SERVER_ACCEPT_PLACEMENT_H_
