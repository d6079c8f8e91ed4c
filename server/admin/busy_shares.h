#ifndef AAREN_SERVER_ADMIN_BUSY_SHARES_H_
#define AAREN_SERVER_ADMIN_BUSY_SHARES_H_

// BusyShares remembers for each shard in which share of the last second it had work. Shards tell how long they have
// worked since their start; it looks at that once a second. Threading: one thread.

#include <cstdint>
#include <vector>

#include "absl/time/time.h"
#include "server/rpc/server.h"
#include "server/session/clock.h"

namespace aaren::admin {

class BusyShares {
 public:
  // Both outlive this.
  BusyShares(const rpc::Server& server, const session::Clock& clock);

  // Call it every few milliseconds.
  void Tick();

  // 0 to 1; 0 before the first second is over.
  double share(int shard) const { return shares_[static_cast<size_t>(shard)]; }

 private:
  const rpc::Server& server_;
  const session::Clock& clock_;
  absl::Time since_;                // of the second under way
  std::vector<int64_t> before_ns_;  // as it began
  std::vector<double> shares_;      // of the one before
};

}  // namespace aaren::admin

#endif  // AAREN_SERVER_ADMIN_BUSY_SHARES_H_
