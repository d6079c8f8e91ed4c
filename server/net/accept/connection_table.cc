#include "server/net/accept/connection_table.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>

namespace aaren::accept {
namespace {

constexpr uint64_t kMuch = 64 << 10;                  // clients that send less do not fill the memory
constexpr absl::Duration kLately = absl::Seconds(2);  // a rate over less time would swing with single messages

}  // namespace

bool HeaderTime::IsOver(const Traffic& traffic, absl::Time now) {
  if (traffic.answers != before_.answers || since_ == absl::InfinitePast()) {
    since_ = now;
    before_ = traffic;
    return false;
  }
  if (now - since_ < kLongest) return false;
  const uint64_t packets = traffic.packets - before_.packets, bytes = traffic.bytes - before_.bytes;
  const double seconds = absl::ToDoubleSeconds(now - since_);
  const bool small = static_cast<double>(packets) >= kPackets * seconds && bytes < kSmall * packets;
  return small || bytes > kBytes;
}

void SentOfLate::Look(uint64_t bytes, absl::Time now) {
  if (now < next_) return;
  next_ = now + kLately;
  before_ = std::exchange(last_, bytes);
}

// A shutdown would leave gRPC's unread bytes, and a peer that does not read would not notice. gRPC may close
// its descriptor at any moment, and the next connection may get the number; a duplicate keeps meaning this
// socket.
bool Connection::Reset() const {
  const int copy = fcntl(socket, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) return false;
  const bool lasts = CookieOf(copy) == cookie;
  sockaddr nobody{};
  nobody.sa_family = AF_UNSPEC;
  if (lasts && connect(copy, &nobody, sizeof(nobody)) != 0) shutdown(copy, SHUT_RDWR);
  close(copy);
  return lasts;
}

Traffic Connection::traffic() const {
  const Traffic traffic = TrafficOf(socket);
  return Lasts() ? traffic : Traffic{};
}

size_t ConnectionTable::OfHost(const std::string& host) const {
  const auto found = of_hosts_.find(host);
  return found == of_hosts_.end() ? 0 : found->second;
}

std::vector<const Connection*> ConnectionTable::GreatestSenders(size_t most) const {
  std::vector<std::pair<uint64_t, const Connection*>> senders;
  for (const auto& [number, connection] : connections_) {
    const uint64_t brought = connection.Lasts() ? connection.sent.Of(connection.traffic().bytes) : 0;
    if (brought >= kMuch) senders.emplace_back(brought, &connection);
  }
  most = std::min(most, senders.size());
  std::partial_sort(senders.begin(), senders.begin() + static_cast<ptrdiff_t>(most), senders.end(),
                    [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<const Connection*> greatest;
  for (size_t i = 0; i < most; ++i) greatest.push_back(senders[i].second);
  return greatest;
}

void ConnectionTable::Add(int socket, const std::string& host, size_t shard) {
  connections_.emplace(++last_number_, Connection{shard, socket, CookieOf(socket), host});
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
    if (connection.Lasts()) {
      look(connection);
      continue;
    }
    --of_shards_[connection.shard];
    if (--of_hosts_[connection.host] == 0) of_hosts_.erase(connection.host);
    connections_.erase(at);
  }
}

}  // namespace aaren::accept
