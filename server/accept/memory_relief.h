#ifndef AAREN_SERVER_ACCEPT_MEMORY_RELIEF_H_
#define AAREN_SERVER_ACCEPT_MEMORY_RELIEF_H_

// The last resort while the process holds more memory than it may. What clients make the server hold is counted, and
// has limits; what gRPC holds of a stream that nobody has accepted yet is not, and headers of a kilobyte become thirty.
// So connections end: those that bring most, or, if nobody brings anything, the newest of the host that has most.
//
// Whoever is ended comes again and goes on exactly: the wrong one loses a moment.
//
// Threading: belongs to the acceptor's thread.

#include <functional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "server/accept/connection_table.h"

namespace aaren::accept {

class MemoryRelief {
 public:
  // `crowded` tells whether the process holds too much; null: it never does.
  explicit MemoryRelief(std::function<bool()> crowded) : crowded_(std::move(crowded)) {}

  // Peers whose connections must end now. Call it every tenth of a second: what they bring is measured from one call to
  // the next. What the heap keeps for later is given back first.
  std::vector<std::string> WhoMustGo(const ConnectionTable& table);

 private:
  bool Crowded() const;

  const std::function<bool()> crowded_;
  absl::flat_hash_map<std::string, uint64_t> received_;  // at the call before; empty while there is room
};

}  // namespace aaren::accept

#endif  // AAREN_SERVER_ACCEPT_MEMORY_RELIEF_H_
