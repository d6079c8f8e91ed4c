#include "server/net/rpc/streams/stream_table.h"

#include "server/net/rpc/limits/connection_limits.h"

namespace aaren::rpc {

uint64_t StreamTable::Add(Stream& stream, const std::string& peer) {
  streams_.emplace(++last_number_, &stream);
  ++of_peers_[peer];
  return last_number_;
}

void StreamTable::Remove(uint64_t number, const std::string& peer) {
  streams_.erase(number);
  const auto found = of_peers_.find(peer);
  if (--found->second == 0) of_peers_.erase(found);
}

bool StreamTable::MayHaveMore(const std::string& peer) const {
  const auto found = of_peers_.find(peer);
  return found == of_peers_.end() || found->second < 2 * kStreamsOfConnection;
}

}  // namespace aaren::rpc
