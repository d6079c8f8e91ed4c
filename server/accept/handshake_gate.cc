#include "server/accept/handshake_gate.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/strings/string_view.h"
#include "server/accept/client_hello.h"
#include "server/accept/tcp_socket.h"

namespace aaren::accept {
namespace {

constexpr absl::Duration kLongest = absl::Milliseconds(200);  // a handshake without an answer by then is over
constexpr size_t kAtOnce = 2;                                 // handshakes of a shard: one may wait to be read
constexpr absl::Duration kRest = absl::Milliseconds(2);       // the pause of a shard after a handshake

// Room for the longest hello, in records of one byte each.
constexpr size_t kRoom = 8 * kLongestClientHello;

}  // namespace

HandshakeGate::HandshakeGate(const Options& options, int poll)
    : options_(options), poll_(poll), bytes_(options.tls ? kRoom : 1) {}

HandshakeGate::~HandshakeGate() {
  while (!held_.empty()) Close(held_.begin());
}

void HandshakeGate::Hold(int socket, std::string host, Take take, absl::Time now) {
  const uint64_t number = ++last_number_;
  held_.emplace(number, Held{socket, std::move(host), std::move(take), now});
  numbers_[socket] = number;
  silent_.insert(number);
  epoll_event event{};
  event.events = EPOLLIN | EPOLLRDHUP | EPOLLET;  // one event for all bytes so far: a part of a hello stays unread
  event.data.fd = socket;
  if (epoll_ctl(poll_, EPOLL_CTL_ADD, socket, &event) != 0) return LetThrough(held_.find(number));
  Look(socket);
}

bool HandshakeGate::Look(int socket) {
  const auto number = numbers_.find(socket);
  if (number == numbers_.end()) return false;
  const auto held = held_.find(number->second);
  const ssize_t seen = recv(socket, bytes_.data(), bytes_.size(), MSG_PEEK | MSG_DONTWAIT);
  if (!IsEstablished(socket) || seen == 0) {
    Close(held);
  } else if (seen > 0) {
    Hear(held, {bytes_.data(), static_cast<size_t>(seen)});
  }
  return true;
}

void HandshakeGate::Hear(ByNumber::iterator held, absl::string_view words) {
  switch (options_.tls ? LookForClientHello(words) : ClientHello::kNone) {
    case ClientHello::kPart:
      return;
    case ClientHello::kWhole:
      silent_.erase(held->first);
      return line_.Add(held->second.host, held->first);
    case ClientHello::kNone:  // gRPC answers bytes that are no hello
      return LetThrough(held);
    case ClientHello::kTooLong:
      return Close(held);
  }
}

void HandshakeGate::Advance(absl::Time now, bool busy) {
  std::erase_if(begun_, [&](const Begun& handshake) {
    if (!IsOver(handshake, now)) return false;
    if (busy) rests_until_ = std::max(rests_until_, now) + kRest / options_.shards;
    return true;
  });
  while (begun_.size() < kAtOnce * options_.shards && (!busy || now >= rests_until_)) {
    const std::optional<uint64_t> number = line_.Next();
    if (!number.has_value()) return;
    const auto held = held_.find(*number);
    begun_.push_back({held->second.socket, CookieOf(held->second.socket), now});
    LetThrough(held);
  }
}

bool HandshakeGate::IsOver(const Begun& handshake, absl::Time now) const {
  return now - handshake.since >= kLongest || CookieOf(handshake.socket) != handshake.cookie ||
         IsAnswered(handshake.socket);
}

void HandshakeGate::CloseSilent(absl::Time now) {
  while (!silent_.empty()) {
    const auto oldest = held_.find(*silent_.begin());
    if (now - oldest->second.since < options_.within) return;
    Close(oldest);
  }
}

void HandshakeGate::LetThrough(ByNumber::iterator held) {
  const Held taken = std::move(held->second);
  line_.Remove(taken.host, held->first);
  numbers_.erase(taken.socket);
  silent_.erase(held->first);
  held_.erase(held);
  epoll_ctl(poll_, EPOLL_CTL_DEL, taken.socket, nullptr);
  taken.take(taken.socket);
}

void HandshakeGate::Close(ByNumber::iterator held) {
  line_.Remove(held->second.host, held->first);
  numbers_.erase(held->second.socket);
  silent_.erase(held->first);
  close(held->second.socket);
  held_.erase(held);
}

}  // namespace aaren::accept
