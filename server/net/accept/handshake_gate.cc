#include "server/net/accept/handshake_gate.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace aaren::accept {
namespace {

// Between two handshakes of a shard: beside other work no shard signs for more than half of its time.
constexpr absl::Duration kBusyRest = absl::Milliseconds(2), kIdleRest = absl::Milliseconds(1);
constexpr absl::Duration kMadeUpFor = absl::Milliseconds(1);  // the time between two calls of Advance

}  // namespace

HandshakeGate::~HandshakeGate() {
  while (!held_.empty()) Close(held_.begin()->first);
}

void HandshakeGate::Hold(int socket, std::string host, Take take, absl::Time now) {
  held_.insert_or_assign(socket, Held{std::move(host), std::move(take), now});
  if (options_.within < absl::InfiniteDuration()) arrivals_.emplace_back(now, socket);
  epoll_event event{};
  event.events = EPOLLIN | EPOLLRDHUP | EPOLLET;  // one event for all bytes so far: the bytes stay unread
  event.data.fd = socket;
  if (epoll_ctl(poll_, EPOLL_CTL_ADD, socket, &event) != 0) return Close(socket);
  Look(socket);
}

bool HandshakeGate::Look(int socket) {
  const auto found = held_.find(socket);
  if (found == held_.end()) return false;
  char byte;
  const ssize_t seen = recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  if (seen == 0 || (seen < 0 && errno != EAGAIN)) {
    Close(socket);
  } else if (seen > 0 && !std::exchange(found->second.spoke, true)) {
    line_[found->second.host].push_back(socket);
  }
  return true;
}

// The first connection of the host after the last host, by name: a host with many connections gets no more turns.
void HandshakeGate::Advance(absl::Time now, bool busy) {
  rests_until_ = std::max(rests_until_, now - kMadeUpFor);
  while (!line_.empty() && rests_until_ <= now) {
    auto host = line_.upper_bound(last_host_);
    if (host == line_.end()) host = line_.begin();
    last_host_ = host->first;
    rests_until_ += Rest(busy);
    LetThrough(host->second.front());
  }
}

absl::Duration HandshakeGate::Rest(bool busy) const {
  if (!options_.tls) return absl::ZeroDuration();
  return (busy ? kBusyRest : kIdleRest) / static_cast<double>(options_.shards);
}

void HandshakeGate::CloseSilent(absl::Time now) {
  for (; !arrivals_.empty() && now - arrivals_.front().first >= options_.within; arrivals_.pop_front()) {
    const auto held = held_.find(arrivals_.front().second);
    const bool here = held != held_.end() && held->second.since == arrivals_.front().first;
    if (here && !held->second.spoke) Close(held->first);
  }
}

void HandshakeGate::LeaveLine(int socket, const std::string& host) {
  const auto own = line_.find(host);
  if (own == line_.end()) return;
  own->second.erase(std::remove(own->second.begin(), own->second.end(), socket), own->second.end());
  if (own->second.empty()) line_.erase(own);
}

void HandshakeGate::LetThrough(int socket) {
  const Held held = std::move(held_.extract(socket).mapped());
  LeaveLine(socket, held.host);
  epoll_ctl(poll_, EPOLL_CTL_DEL, socket, nullptr);
  held.take(socket);
}

void HandshakeGate::Close(int socket) {
  LeaveLine(socket, held_.extract(socket).mapped().host);
  close(socket);
}

}  // namespace aaren::accept
