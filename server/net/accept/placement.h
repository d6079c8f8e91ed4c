#ifndef AAREN_SERVER_NET_ACCEPT_PLACEMENT_H_
#define AAREN_SERVER_NET_ACCEPT_PLACEMENT_H_

// A Placement chooses the shard of a new connection: the shard least busy of late, and among equals the shard with the
// fewest connections.
//
// Counts alone mislead: thousands of connections may be idle. Nobody knows the load of a new connection: for a moment a
// new connection counts as a fifth of a shard's time. Threading: not thread-safe.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"

namespace aaren::accept {

class Placement {
 public:
  explicit Placement(size_t shards) : shards_(shards) {}

  // True once the next period has begun, and Look is due.
  bool Due(absl::Time now) const { return now >= next_period_; }

  // `busy_ns`: how long each shard has worked since its start, [shards].
  void Look(absl::Span<const int64_t> busy_ns, absl::Time now);

  // True if a shard had work for a hundredth of the last period.
  bool busy() const { return busy_; }

  // `connections` of each shard, [shards].
  size_t Choose(absl::Span<const size_t> connections);

 private:
  struct Shard {
    int64_t busy_ns = 0;            // at the last look
    size_t tenths = 0;              // how busy the shard was in the period before the last look
    size_t lately = 0, before = 0;  // connections given to the shard in this period, and in the period before
  };

  bool busy_ = false;
  absl::Time next_period_ = absl::InfinitePast();
  std::vector<Shard> shards_;
};

}  // namespace aaren::accept

#endif  // AAREN_SERVER_NET_ACCEPT_PLACEMENT_H_
