#include "server/accept/connection_table.h"

#include <fcntl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "server/accept/peer_name.h"
#include "server/accept/tcp_socket.h"

namespace aaren::accept {
namespace {

constexpr uint64_t kMuch = 64 << 10;                  // clients that send less do not fill the memory
constexpr absl::Duration kLately = absl::Seconds(2);  // a rate over less time would swing with single messages

}  // namespace

bool HeaderTime::IsOver(const Traffic& traffic, int64_t heard_ns, uint64_t message_bytes, absl::Time now) {
  if (std::exchange(heard_ns_, heard_ns) != heard_ns) {
    since_ = now;
    before_ = traffic;
    return false;
  }
  if (now - since_ < kLongest) return false;
  const uint64_t packets = traffic.packets - before_.packets, bytes = traffic.bytes - before_.bytes;
  const double seconds = absl::ToDoubleSeconds(now - since_);
  const bool small = static_cast<double>(packets) >= kPackets * seconds && bytes < kSmall * packets;
  return small || bytes > 2 * message_bytes + kBytes;
}

void SentOfLate::Look(uint64_t bytes, absl::Time now) {
  if (now < next_) return;
  next_ = now + kLately;
  before_ = std::exchange(last_, bytes);
}

bool Connection::Lasts() const { return CookieOf(socket) == cookie; }

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
  tcp_info info{};
  socklen_t size = sizeof(info);
  if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0 || !Lasts()) return {};
  return {.packets = info.tcpi_data_segs_in, .bytes = info.tcpi_bytes_received};
}

size_t ConnectionTable::OfHost(const std::string& host) const {
  const auto found = of_hosts_.find(host);
  return found == of_hosts_.end() ? 0 : found->second;
}

const Connection* ConnectionTable::Find(const std::string& peer) const {
  const auto found = connections_.find(peer);
  return found == connections_.end() ? nullptr : &found->second;
}

std::vector<std::string> ConnectionTable::GreatestSenders(size_t most) const {
  std::vector<std::pair<uint64_t, const std::string*>> senders;
  for (const auto& [peer, connection] : connections_) {
    const uint64_t brought = connection.Lasts() ? connection.sent.Of(connection.traffic().bytes) : 0;
    if (brought >= kMuch) senders.emplace_back(brought, &peer);
  }
  most = std::min(most, senders.size());
  std::partial_sort(senders.begin(), senders.begin() + static_cast<ptrdiff_t>(most), senders.end(),
                    [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> peers;
  for (size_t i = 0; i < most; ++i) peers.push_back(*senders[i].second);
  return peers;
}

void ConnectionTable::Add(const std::string& peer, int socket, size_t shard) {
  Remove(peer);  // a connection of the same name has ended
  Connection connection;
  connection.shard = shard;
  connection.socket = socket;
  connection.cookie = CookieOf(socket);
  connection.number = ++last_number_;
  connection.host = HostOf(peer);
  ++of_shards_[shard];
  ++of_hosts_[connection.host];
  peers_.emplace(connection.number, peer);
  connections_.emplace(peer, std::move(connection));
}

void ConnectionTable::Remove(const std::string& peer) {
  const auto found = connections_.find(peer);
  if (found == connections_.end()) return;
  const Connection& connection = found->second;
  --of_shards_[connection.shard];
  if (--of_hosts_[connection.host] == 0) of_hosts_.erase(connection.host);
  peers_.erase(connection.number);
  connections_.erase(found);
}

void ConnectionTable::RemoveEnded(size_t most, absl::FunctionRef<void(const std::string& peer, Connection&)> look) {
  auto next = peers_.upper_bound(last_looked_at_);
  for (size_t left = std::min(most, peers_.size()); left > 0; --left) {
    if (next == peers_.end()) next = peers_.begin();
    const std::string peer = next->second;
    last_looked_at_ = (next++)->first;
    Connection& connection = connections_.at(peer);
    if (connection.Lasts()) {
      look(peer, connection);
    } else {
      Remove(peer);
    }
  }
}

}  // namespace aaren::accept
