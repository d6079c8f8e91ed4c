#include "server/net/accept/connection_table.h"

#include <fcntl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace aaren::accept {
namespace {

constexpr absl::Duration kLongest = absl::Seconds(30), kLately = absl::Seconds(2);  // of a header; of a rate
constexpr uint64_t kMuch = 64 << 10;                             // bytes; clients that send less do not fill the memory
constexpr size_t kMuchWaits = 16 << 10, kLookBytes = 128 << 10;  // bytes; many small calls
constexpr size_t kTooManyCalls = 512;                            // twice as many as one connection may have under way
// RFC 9113, sections 4.1 and 6: 3 bytes of length, type, flags, 4 bytes of stream; frames of a call without a message.
constexpr size_t kFrameHeader = 9, kMostFrameBytes = 2048, kHeaders = 1, kReset = 3;

// The kernel's own number of a socket, never given twice; 0 if the descriptor is closed or no socket.
uint64_t CookieOf(int socket) {
  uint64_t cookie = 0;
  socklen_t size = sizeof(cookie);
  return getsockopt(socket, SOL_SOCKET, SO_COOKIE, &cookie, &size) == 0 ? cookie : 0;
}

}  // namespace

Traffic TrafficOf(int socket) {
  tcp_info info{};
  socklen_t size = sizeof(info);
  if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return {};
  return {.packets = info.tcpi_data_segs_in, .bytes = info.tcpi_bytes_received, .answers = info.tcpi_data_segs_out};
}

bool HeaderTime::IsOver(const Traffic& traffic, absl::Time now) {
  if (traffic.answers != before_.answers || since_ == absl::InfinitePast()) {
    since_ = now;
    before_ = traffic;
    return false;
  }
  const double packets = static_cast<double>(traffic.packets - before_.packets);
  return now - since_ >= kLongest && packets >= 100 * absl::ToDoubleSeconds(now - since_);
}

// Content that looks like frames has no calls with ascending odd numbers. `left`: content may look so from every offset.
bool BeginTooManyCalls(absl::string_view bytes) {
  const auto byte = [bytes](size_t at) { return static_cast<uint32_t>(static_cast<unsigned char>(bytes[at])); };
  size_t left = bytes.size();
  for (size_t begin = 0; begin < std::min(kMostFrameBytes, bytes.size()); ++begin) {
    size_t calls = 0, resets = 0;
    uint32_t last = 0;
    for (size_t at = begin; at + kFrameHeader <= bytes.size() && left > 0; --left) {
      const uint32_t length = byte(at) << 16 | byte(at + 1) << 8 | byte(at + 2), type = byte(at + 3);
      const uint32_t stream = byte(at + 5) << 24 | byte(at + 6) << 16 | byte(at + 7) << 8 | byte(at + 8);
      if (length > kMostFrameBytes) break;
      resets += type == kReset;
      if (type == kHeaders && stream % 2 == 1 && stream > last) ++calls, last = stream;
      at += kFrameHeader + length;
    }
    if (calls > resets + kTooManyCalls) return true;
  }
  return false;
}

bool Connection::Lasts() const { return CookieOf(socket) == cookie; }

bool Connection::Look(absl::Time now) {
  const Traffic seen = traffic();
  if (now >= late_from) {
    late_from = now + kLately;
    sent_before = std::exchange(sent_then, seen.bytes);
  }
  return header_time.IsOver(seen, now);
}

// While gRPC can keep up with a client, little waits.
bool Connection::HasTooManyCalls() const {
  int waiting = 0;
  if (ioctl(socket, FIONREAD, &waiting) != 0 || static_cast<size_t>(waiting) < kMuchWaits || !Lasts()) return false;
  std::string bytes(kLookBytes, 0);
  const ssize_t seen = recv(socket, bytes.data(), bytes.size(), MSG_PEEK | MSG_DONTWAIT);
  return seen > 0 && BeginTooManyCalls({bytes.data(), static_cast<size_t>(seen)});
}

// A shutdown would leave gRPC's unread bytes, and a peer that does not read would not notice. gRPC may close its
// descriptor at any moment, and the next connection may get the number; a duplicate keeps meaning this socket.
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

uint64_t Connection::sent_of_late() const {
  const uint64_t sent = traffic().bytes;
  return sent - std::min(sent, sent_before);  // a reset connection has sent nothing
}

size_t ConnectionTable::OfHost(const std::string& host) const {
  const auto found = of_hosts_.find(host);
  return found == of_hosts_.end() ? 0 : found->second;
}

std::vector<const Connection*> ConnectionTable::GreatestSenders(size_t most) const {
  std::vector<std::pair<uint64_t, const Connection*>> senders;
  for (const auto& [number, connection] : connections_) {
    if (const uint64_t sent = connection.sent_of_late(); sent >= kMuch) senders.emplace_back(sent, &connection);
  }
  std::sort(senders.rbegin(), senders.rend());
  std::vector<const Connection*> greatest;
  for (size_t i = 0; i < std::min(most, senders.size()); ++i) greatest.push_back(senders[i].second);
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
