#ifndef AAREN_SERVER_RPC_LIMITS_VAIN_CALLS_H_
#define AAREN_SERVER_RPC_LIMITS_VAIN_CALLS_H_

// VainCalls counts the calls of each connection that came to nothing: refused, or ended before they asked for anything.
// Each costs as much as a hundred tokens, so a connection that has many of them in a second is ended. So are those of
// a host that has many in all, but for who has few itself.
//
// Threading: belongs to one thread.

#include <cstddef>
#include <functional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"

namespace aaren::rpc {

// Ends the connection of a peer, as gRPC names it. From any thread.
using EndConnection = std::function<void(absl::string_view peer)>;

class VainCalls {
 public:
  // `most` of a connection in a second are too many, and twice as many of a host. `end`: null where nobody can end
  // a connection.
  VainCalls(size_t most, EndConnection end) : most_(most), end_(std::move(end)) {}

  void Note(const std::string& peer);

  // Call it every second or so.
  void Forget();

 private:
  const size_t most_;
  const EndConnection end_;
  // Of this second.
  absl::flat_hash_map<std::string, size_t> of_peers_, of_hosts_;
  absl::flat_hash_set<std::string> ended_;  // peers
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_RPC_LIMITS_VAIN_CALLS_H_
