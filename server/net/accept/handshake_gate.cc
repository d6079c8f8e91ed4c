#include "server/net/accept/handshake_gate.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

#include "server/net/accept/tcp_socket.h"

namespace aaren::accept {
namespace {

constexpr absl::Duration kLongest = absl::Milliseconds(200);  // a handshake without an answer by then is over
constexpr size_t kAtOnce = 2;                                 // handshakes of a shard: one may wait to be read
constexpr absl::Duration kRest = absl::Milliseconds(2);       // the pause of a shard after a handshake

}  // namespace

HandshakeGate::~HandshakeGate() {
  while (!held_.empty()) Close(held_.begin()->first);
}

void HandshakeGate::Hold(int socket, std::string host, Take take, absl::Time now) {
  const uint64_t cookie = CookieOf(socket);
  held_.insert_or_assign(socket, Held{cookie, std::move(host), std::move(take)});
  if (options_.within < absl::InfiniteDuration()) arrivals_.push_back({socket, cookie, now});
  epoll_event event{};
  event.events = EPOLLIN | EPOLLRDHUP | EPOLLET;  // one event for all bytes so far: the bytes stay unread
  event.data.fd = socket;
  if (epoll_ctl(poll_, EPOLL_CTL_ADD, socket, &event) != 0) return LetThrough(socket);
  Look(socket);
}

bool HandshakeGate::Look(int socket) {
  const auto found = held_.find(socket);
  if (found == held_.end()) return false;
  char byte;
  const ssize_t seen = recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  if (!IsEstablished(socket) || seen == 0) {
    Close(socket);
  } else if (seen > 0 && !std::exchange(found->second.spoke, true)) {
    if (!options_.tls)
      LetThrough(socket);
    else
      line_[found->second.host].emplace_back(socket, found->second.cookie);
  }
  return true;
}

void HandshakeGate::Advance(absl::Time now, bool busy) {
  std::erase_if(begun_, [&](const Moment& handshake) {
    const bool ended = CookieOf(handshake.socket) != handshake.cookie;
    if (!ended && now - handshake.at < kLongest && TrafficOf(handshake.socket).answers == 0) return false;
    if (busy) rests_until_ = std::max(rests_until_, now) + kRest / options_.shards;
    return true;
  });
  while (begun_.size() < kAtOnce * options_.shards && (!busy || now >= rests_until_)) {
    const std::optional<Moment> next = Next(now);
    if (!next.has_value()) return;
    begun_.push_back(*next);
    LetThrough(next->socket);
  }
}

// The first connection of the host after the last host, by name: a host with many connections gets no more turns.
std::optional<HandshakeGate::Moment> HandshakeGate::Next(absl::Time now) {
  while (!line_.empty()) {
    auto host = line_.upper_bound(last_host_);
    if (host == line_.end()) host = line_.begin();
    last_host_ = host->first;
    const auto [socket, cookie] = host->second.front();
    host->second.pop_front();
    if (host->second.empty()) line_.erase(host);
    const auto held = held_.find(socket);
    if (held != held_.end() && held->second.cookie == cookie) return Moment{socket, cookie, now};
  }
  return std::nullopt;
}

void HandshakeGate::CloseSilent(absl::Time now) {
  while (!arrivals_.empty() && now - arrivals_.front().at >= options_.within) {
    const auto held = held_.find(arrivals_.front().socket);
    const bool here = held != held_.end() && held->second.cookie == arrivals_.front().cookie;
    if (here && !held->second.spoke) Close(held->first);
    arrivals_.pop_front();
  }
}

void HandshakeGate::LetThrough(int socket) {
  const Take take = std::move(held_.extract(socket).mapped().take);
  epoll_ctl(poll_, EPOLL_CTL_DEL, socket, nullptr);
  take(socket);
}

void HandshakeGate::Close(int socket) {
  held_.erase(socket);
  close(socket);
}

}  // namespace aaren::accept
