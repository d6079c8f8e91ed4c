#include "server/accept/connection_table.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "server/accept/peer_name.h"
#include "server/accept/tcp_socket.h"

namespace aaren::accept {
namespace {

// Does something with a copy of the descriptor. gRPC may close it at any moment, and the next connection may get its
// number. A copy stays what it is.
template <typename Do>
bool WithCopyOf(const Connection& connection, const Do& something) {
  const int copy = fcntl(connection.socket, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) return false;
  const bool done = CookieOf(copy) == connection.cookie && something(copy);
  close(copy);
  return done;
}

}  // namespace

bool Connection::Lasts() const { return CookieOf(socket) == cookie; }

// A shutdown would leave what waits to be read by gRPC, and a peer that does not read would not notice.
bool Connection::Reset() const {
  return WithCopyOf(*this, [](int copy) {
    sockaddr nobody{};
    nobody.sa_family = AF_UNSPEC;
    if (connect(copy, &nobody, sizeof(nobody)) != 0) shutdown(copy, SHUT_RDWR);
    return true;
  });
}

bool Connection::Hold() const {
  return WithCopyOf(*this, [](int copy) {
    sock_filter nothing = BPF_STMT(BPF_RET | BPF_K, 0);
    const sock_fprog filter{1, &nothing};
    return setsockopt(copy, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter)) == 0;
  });
}

void Connection::Release() const {
  WithCopyOf(*this, [](int copy) {
    const int unused = 0;
    return setsockopt(copy, SOL_SOCKET, SO_DETACH_FILTER, &unused, sizeof(unused)) == 0;
  });
}

Connection::Traffic Connection::traffic() const {
  tcp_info info{};
  socklen_t size = sizeof(info);
  int waiting = 0;
  if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0 || ioctl(socket, FIONREAD, &waiting) != 0) return {};
  if (!Lasts()) return {};
  const uint64_t received = info.tcpi_bytes_received;
  return {received, received - std::min(received, static_cast<uint64_t>(waiting))};
}

absl::string_view Connection::Peek(absl::Span<char> room) const {
  const ssize_t seen = recv(socket, room.data(), room.size(), MSG_PEEK | MSG_DONTWAIT);
  return {room.data(), static_cast<size_t>(std::max<ssize_t>(seen, 0))};
}

uint64_t Connection::TakeBrought() {
  const Traffic now = traffic();
  vain_ = 0;
  const uint64_t read = std::exchange(read_, now.read), received = std::exchange(received_, now.received);
  const uint64_t before = std::exchange(calm_, false) ? received : read;
  return now.received - std::min(now.received, before) + static_cast<uint64_t>(std::exchange(of_late_, 0));
}

void Connection::Age(absl::Time now) {
  const double seconds = std::max(0.0, absl::ToDoubleSeconds(now - std::exchange(aged_, now)));
  const auto [received, read] = traffic();
  const uint64_t before = std::exchange(received_, received);
  const uint64_t fresh = read - std::min(read, std::exchange(seen_, read));
  const int64_t heard_ns = heard->ns();
  vain_ = std::exchange(heard_at_, heard_ns) == heard_ns ? vain_ * std::exp2(-seconds / 10) + static_cast<double>(fresh)
                                                         : 0;
  of_late_ = of_late_ * std::exp2(-seconds) + static_cast<double>(received - std::min(received, before));
  early_ = heard_ns == 0 && of_late_ > static_cast<double>(kMostFirst) ? early_ + 1 : 0;
  calm_ = true;
}

bool Connection::BringsNothing(uint64_t message_bytes) const {
  return early_ >= 2 || vain_ > static_cast<double>(2 * message_bytes + kBesideMessage);
}

const Connection* ConnectionTable::Find(const std::string& peer) const {
  const auto found = connections_.find(peer);
  return found == connections_.end() ? nullptr : &found->second;
}

void ConnectionTable::Add(const std::string& peer, int socket, size_t shard) {
  Remove(peer);  // one of the same name has ended
  Connection connection;
  connection.shard = shard;
  connection.socket = socket;
  connection.cookie = CookieOf(socket);
  connection.number = ++last_number_;
  connection.host = HostOf(peer);
  ++of_shards_[shard];
  hosts_.Add(connection.host, connection.number);
  peers_.emplace(connection.number, peer);
  connections_.emplace(peer, std::move(connection));
}

void ConnectionTable::Remove(const std::string& peer) {
  const auto found = connections_.find(peer);
  if (found == connections_.end()) return;
  Forget(found->second);
  connections_.erase(found);
}

void ConnectionTable::RemoveEnded(size_t most, absl::FunctionRef<void(const std::string& peer, Connection&)> look) {
  auto next = peers_.upper_bound(last_looked_at_);
  for (size_t left = std::min(most, peers_.size()); left > 0; --left) {
    if (next == peers_.end()) next = peers_.begin();
    const std::string peer = next->second;
    last_looked_at_ = (next++)->first;
    Connection& connection = connections_.at(peer);
    if (!connection.Lasts()) {
      Remove(peer);
      continue;
    }
    look(peer, connection);
  }
}

void ConnectionTable::Forget(const Connection& connection) {
  --of_shards_[connection.shard];
  peers_.erase(connection.number);
  hosts_.Remove(connection.host, connection.number);
}

std::optional<std::string> ConnectionTable::WhoGivesWayTo(const std::string& host, absl::Time now) {
  const std::optional<uint64_t> number = hosts_.WhoGivesWayTo(host, now);
  return number.has_value() ? std::make_optional(peers_.at(*number)) : std::nullopt;
}

}  // namespace aaren::accept
