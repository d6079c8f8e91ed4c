#ifndef AAREN_SERVER_OPERATE_ADMIN_BUSY_SHARES_H_
#define AAREN_SERVER_OPERATE_ADMIN_BUSY_SHARES_H_

// BusyShares knows for each shard the share of the last second with work. Once a second it reads each shard's working
// time since the start. Threading: one thread.

#include <cstdint>
#include <vector>

#include "absl/time/time.h"
#include "server/net/rpc/server.h"
#include "server/sessions/session/clock.h"

namespace aaren::admin {

class BusyShares {
 public:
  // Both arguments outlive the BusyShares.
  BusyShares(const rpc::Server& server, const session::Clock& clock);

  // Call Tick every few milliseconds.
  void Tick();

  // 0 to 1; 0 before the first second is over.
  double share(int shard) const { return shares_[static_cast<size_t>(shard)]; }

 private:
  const rpc::Server& server_;
  const session::Clock& clock_;
  absl::Time since_;                // beginning of the current second
  std::vector<int64_t> before_ns_;  // busy_ns at the beginning of the second
  std::vector<double> shares_;      // busy shares in the second before
};

}  // namespace aaren::admin

#endif  // AAREN_SERVER_OPERATE_ADMIN_BUSY_SHARES_H_
