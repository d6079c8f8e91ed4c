#include "server/net/accept/handshake_gate.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

namespace aaren::accept {
namespace {

// Between two connections of a shard: beside other work no shard signs for more than half of its time.
constexpr absl::Duration kBusyRest = absl::Milliseconds(2), kIdleRest = absl::Milliseconds(1);
constexpr absl::Duration kMadeUpFor = absl::Milliseconds(1);  // the time between two calls of Advance

}  // namespace

HandshakeGate::~HandshakeGate() {
  while (!held_.empty()) Close(held_.begin()->first);
}

void HandshakeGate::Hold(int socket, std::string host, Take take, absl::Time now) {
  held_[socket] = silent_.insert(silent_.end(), Held{socket, std::move(host), std::move(take), now});
  epoll_event event{};
  event.events = EPOLLIN | EPOLLRDHUP | EPOLLET;  // one event for all bytes so far: the bytes stay unread
  event.data.fd = socket;
  if (epoll_ctl(poll_, EPOLL_CTL_ADD, socket, &event) != 0) Close(socket);
}

bool HandshakeGate::Look(const epoll_event& event) {
  const auto found = held_.find(event.data.fd);
  if (found == held_.end()) return false;
  Held& held = *found->second;
  if ((event.events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) {
    Close(held.socket);
  } else if (!std::exchange(held.spoke, true)) {
    Line& own = line_[held.host];
    own.splice(own.end(), silent_, found->second);
  }
  return true;
}

// The first connection of the host after the last host, by name: a host with many connections gets no more turns.
void HandshakeGate::Advance(absl::Time now, bool busy) {
  const absl::Duration rest = options_.tls ? (busy ? kBusyRest : kIdleRest) / options_.shards : absl::ZeroDuration();
  rests_until_ = std::max(rests_until_, now - kMadeUpFor);
  for (; !line_.empty() && rests_until_ <= now; rests_until_ += rest) {
    auto host = line_.upper_bound(last_host_);
    if (host == line_.end()) host = line_.begin();
    last_host_ = host->first;
    const Held next = Remove(host->second.front().socket);
    next.take(next.socket);
  }
}

void HandshakeGate::CloseSilent(absl::Time now) {
  while (!silent_.empty() && now - silent_.front().since >= options_.within) Close(silent_.front().socket);
}

HandshakeGate::Held HandshakeGate::Remove(int socket) {
  const Line::iterator at = held_.extract(socket).mapped();
  Held removed = std::move(*at);
  epoll_ctl(poll_, EPOLL_CTL_DEL, socket, nullptr);
  if (removed.spoke) {
    const auto own = line_.find(removed.host);
    own->second.erase(at);
    if (own->second.empty()) line_.erase(own);
  } else {
    silent_.erase(at);
  }
  return removed;
}

void HandshakeGate::Close(int socket) {
  Remove(socket);
  close(socket);
}

}  // namespace aaren::accept
