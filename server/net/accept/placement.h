#ifndef AAREN_SERVER_NET_ACCEPT_PLACEMENT_H_
#define AAREN_SERVER_NET_ACCEPT_PLACEMENT_H_

// A Placement chooses the shard of a new connection: the shard least busy of late, and among equals the shard with the
// fewest connections.
//
// Counts of connections or streams alone mislead: thousands may be idle, and some have ended unnoticed, and two busy
// clients would come to one shard while another has nothing to do. Nobody knows the load of a new connection
// beforehand: for a moment a new connection counts as a fifth of a shard's time. Threading: not thread-safe.

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

  // True once the next period has begun, and Look is due.
  bool Due(absl::Time now) const { return now >= next_period_; }

  // `busy_ns`: how long each shard has worked since its start, [shards].
  void Look(absl::Span<const int64_t> busy_ns, absl::Time now);

  // True if a shard had work for a hundredth of the last period.
  bool busy() const { return busy_; }

  // `connections` of each shard, [shards].
  size_t Choose(absl::Span<const size_t> connections);

 private:
  bool busy_ = false;
  absl::Time last_look_ = absl::InfinitePast();
  absl::Time next_period_ = absl::InfinitePast();
  std::vector<int64_t> busy_ns_;               // at the last look
  std::vector<size_t> tenths_;                 // how busy each shard was in the period before the last look
  std::array<std::vector<size_t>, 2> lately_;  // connections given to each shard: in this period, and before
};

}  // namespace aaren::accept

#endif  // AAREN_SERVER_NET_ACCEPT_PLACEMENT_H_
