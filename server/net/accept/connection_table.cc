#include "server/net/accept/connection_table.h"

#include <utility>

namespace aaren::accept {
namespace {

constexpr absl::Duration kLongest = absl::Seconds(30);  // the longest time for a header
constexpr double kPackets = 100;                        // a second
constexpr uint64_t kMuch = 64 << 10;                    // clients that send less do not fill the memory
constexpr uint64_t kAlike = 8;                          // a flood of few connections ends no neighbour that sends less
constexpr absl::Duration kLately = absl::Seconds(2);    // a rate over less time would swing with single messages

}  // namespace

bool HeaderTime::IsOver(const sockets::Traffic& traffic, absl::Time now) {
  if (traffic.answers != before_.answers || since_ == absl::InfinitePast()) {
    since_ = now;
    before_ = traffic;
    return false;
  }
  const double packets = static_cast<double>(traffic.packets - before_.packets);
  return now - since_ >= kLongest && packets >= kPackets * absl::ToDoubleSeconds(now - since_);
}

void SentOfLate::Look(uint64_t bytes, absl::Time now) {
  if (now < next_) return;
  next_ = now + kLately;
  before_ = std::exchange(last_, bytes);
}

size_t ConnectionTable::OfHost(const std::string& host) const {
  const auto found = of_hosts_.find(host);
  return found == of_hosts_.end() ? 0 : found->second;
}

std::vector<const Connection*> ConnectionTable::GreatestSenders(size_t most) const {
  std::vector<std::pair<uint64_t, const Connection*>> senders;
  for (const auto& [number, connection] : connections_) {
    const uint64_t brought = connection.sent.Of(connection.socket.traffic().bytes);
    if (brought >= kMuch) senders.emplace_back(brought, &connection);
  }
  std::sort(senders.rbegin(), senders.rend());
  std::vector<const Connection*> greatest;
  for (const auto& [brought, connection] : senders) {
    if (greatest.size() < most && brought >= senders[0].first / kAlike) greatest.push_back(connection);
  }
  return greatest;
}

void ConnectionTable::Add(int socket, const std::string& host, size_t shard) {
  connections_.emplace(++last_number_, Connection{sockets::ForeignSocket(socket), shard, host});
  ++of_shards_[shard];
  ++of_hosts_[host];
}

void ConnectionTable::RemoveEnded(size_t most, absl::FunctionRef<void(Connection&)> look) {
  auto next = connections_.upper_bound(last_looked_at_);
  for (size_t left = std::min(most, connections_.size()); left > 0; --left) {
    if (next == connections_.end()) next = connections_.begin();
    const auto at = next++;
    Connection& connection = at->second;
    last_looked_at_ = at->first;
    if (connection.socket.Lasts()) {
      look(connection);
      continue;
    }
    --of_shards_[connection.shard];
    if (--of_hosts_[connection.host] == 0) of_hosts_.erase(connection.host);
    connections_.erase(at);
  }
}

}  // namespace aaren::accept
