#ifndef AAREN_SERVER_RPC_SHARES_H_
#define AAREN_SERVER_RPC_SHARES_H_

// Shares of a number of calls among connections: one may have half of what the others leave, so that there is always
// room for another. Threading: belongs to one shard.

#include <algorithm>
#include <cstddef>
#include <string>

#include "absl/container/flat_hash_map.h"

namespace aaren::rpc {

class Shares {
 public:
  explicit Shares(size_t limit) : limit_(limit) {}

  // Whether the peer may have another.
  bool Admits(const std::string& peer) const {
    const auto found = by_peer_.find(peer);
    const size_t own = found == by_peer_.end() ? 0 : found->second;
    const size_t others = std::min(limit_, total_ - own);
    return own < (limit_ - others + 1) / 2;
  }

  void Take(const std::string& peer) {
    ++total_;
    ++by_peer_[peer];
  }

  void Give(const std::string& peer) {
    --total_;
    const auto own = by_peer_.find(peer);
    if (--own->second == 0) by_peer_.erase(own);
  }

 private:
  const size_t limit_;
  size_t total_ = 0;
  absl::flat_hash_map<std::string, size_t> by_peer_;
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_RPC_SHARES_H_
