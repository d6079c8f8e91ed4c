#ifndef AAREN_SERVER_ACCEPT_MEMORY_RELIEF_H_
#define AAREN_SERVER_ACCEPT_MEMORY_RELIEF_H_

// The last resort while the process holds more memory than it may, and goes on growing. What clients make the server
// hold is counted, and has limits. What gRPC holds of a stream that nobody has accepted yet is not counted, and headers
// of a kilobyte become thirty. So each time that it has grown by some more, those connections end that bring most.
//
// One that is full and does not grow ends nobody: whoever is there then has not filled it.
//
// Threading: belongs to the acceptor's thread.

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "server/accept/connection_table.h"

namespace aaren::accept {

class MemoryRelief {
 public:
  // `excess` tells by how many bytes the process holds too much; 0: it does not. Null: it never does.
  explicit MemoryRelief(std::function<size_t()> excess) : excess_(std::move(excess)) {}

  // Peers whose connections must end now. Call it several times a second: what they bring is measured from one call to
  // the next. What the heap keeps for later is given back first.
  std::vector<std::string> WhoMustGo(const ConnectionTable& table);

  // Whether it held too much at the last call.
  bool crowded() const { return crowded_; }

 private:
  size_t Excess() const;

  const std::function<size_t()> excess_;
  bool crowded_ = false;
  size_t most_ = 0;                                  // that was in excess when somebody went, or it began
  absl::flat_hash_map<std::string, uint64_t> read_;  // at the call before; empty while there is room
};

}  // namespace aaren::accept

#endif  // AAREN_SERVER_ACCEPT_MEMORY_RELIEF_H_
