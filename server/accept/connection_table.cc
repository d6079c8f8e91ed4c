#include "server/accept/connection_table.h"

#include <sys/socket.h>

#include <algorithm>

#include "server/accept/peer_name.h"

namespace aaren::accept {
namespace {

// 0 if the descriptor is no socket, or closed.
uint64_t CookieOf(int socket) {
  uint64_t cookie = 0;
  socklen_t size = sizeof(cookie);
  return getsockopt(socket, SOL_SOCKET, SO_COOKIE, &cookie, &size) == 0 ? cookie : 0;
}

}  // namespace

bool Connection::Lasts() const { return CookieOf(socket) == cookie; }

const Connection* ConnectionTable::Find(const std::string& peer) const {
  const auto found = connections_.find(peer);
  return found == connections_.end() ? nullptr : &found->second;
}

size_t ConnectionTable::Add(const std::string& peer, int socket) {
  Remove(peer);  // one of the same name has ended
  const auto shard = static_cast<size_t>(std::min_element(load_.begin(), load_.end()) - load_.begin());
  connections_.emplace(peer, Connection{shard, socket, CookieOf(socket), ++last_number_, {}});
  ++load_[shard];
  ++hosts_[HostOf(peer)];
  return shard;
}

void ConnectionTable::Remove(const std::string& peer) {
  const auto found = connections_.find(peer);
  if (found == connections_.end()) return;
  Forget(found->first, found->second);
  connections_.erase(found);
}

void ConnectionTable::RemoveEnded() {
  absl::erase_if(connections_, [this](const auto& entry) {
    if (entry.second.Lasts()) return false;
    Forget(entry.first, entry.second);
    return true;
  });
}

void ConnectionTable::Forget(const std::string& peer, const Connection& connection) {
  --load_[connection.shard];
  const auto host = hosts_.find(HostOf(peer));
  if (--host->second == 0) hosts_.erase(host);
}

std::optional<std::string> ConnectionTable::WhoGivesWayTo(const std::string& host) const {
  const auto fewer = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto most = std::max_element(hosts_.begin(), hosts_.end(), fewer);
  const auto own = hosts_.find(host);
  if (most == hosts_.end() || most->second < (own == hosts_.end() ? 0 : own->second) + 2) return std::nullopt;
  const std::string* newest = nullptr;
  uint64_t number = 0;
  for (const auto& [peer, connection] : connections_) {
    if (connection.number <= number || HostOf(peer) != most->first) continue;
    newest = &peer;
    number = connection.number;
  }
  return *newest;
}

}  // namespace aaren::accept
