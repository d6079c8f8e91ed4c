#ifndef AAREN_SERVER_NET_ACCEPT_PLACEMENT_H_
#define AAREN_SERVER_NET_ACCEPT_PLACEMENT_H_

// A Placement chooses the shard of a new connection: the least busy of late, then the one with the fewest connections.
//
// Counts of connections or streams alone mislead: thousands may be idle, and some have ended unnoticed, and two busy
// clients would come to one shard while another has nothing to do. Nobody knows the load of a new connection
// beforehand: for a moment a new connection counts as a fifth of a shard's time. Threading: not thread-safe.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"

namespace aaren::accept {

class Placement {
 public:
  explicit Placement(size_t shards) : shards_(shards) {}

  // True if Look is due: a second after the last. A client opens its first stream within a second or two.
  bool Due(absl::Time now) const { return now - last_look_ >= absl::Seconds(1); }

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
  absl::Time last_look_ = absl::InfinitePast();
  std::vector<Shard> shards_;
};

}  // namespace aaren::accept

#endif  // AAREN_SERVER_NET_ACCEPT_PLACEMENT_H_
