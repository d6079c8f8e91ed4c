#include "server/rpc/acceptor.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "server/log/log.h"
#include "server/rpc/frame_flood.h"
#include "server/rpc/peer_name.h"

namespace aaren::rpc {
namespace {

constexpr int kBacklog = 4096;  // connections that wait to be accepted; the kernel has its own limit
constexpr int kAcceptsPerTurn = 64;
constexpr int kWatchMs = 50;            // between two looks at the shards
constexpr int kNoDescriptorsMs = 20;    // until there are some again
constexpr int kUserTimeoutMs = 20'000;  // until data that nobody acknowledges ends a connection

void Watch(int poll, int socket, uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.fd = socket;
  epoll_ctl(poll, EPOLL_CTL_ADD, socket, &event);
}

bool LacksDescriptors(int error) { return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM; }

}  // namespace

Acceptor::Acceptor(size_t max_connections)
    : max_connections_(max_connections), poll_(epoll_create1(EPOLL_CLOEXEC)), stop_(eventfd(0, EFD_CLOEXEC)) {
  Watch(poll_, stop_, EPOLLIN);
}

absl::StatusOr<std::unique_ptr<Acceptor>> Acceptor::Listen(const Address& address, size_t max_connections) {
  std::unique_ptr<Acceptor> acceptor(new Acceptor(max_connections));
  absl::StatusOr<std::vector<int>> listeners = ListenOn(address, kBacklog);
  if (!listeners.ok()) return listeners.status();
  acceptor->listeners_ = *std::move(listeners);
  acceptor->port_ = PortOf(acceptor->listeners_.front());
  for (const int listener : acceptor->listeners_) Watch(acceptor->poll_, listener, EPOLLIN);
  return acceptor;
}

Acceptor::~Acceptor() {
  Stop();
  for (const auto& [socket, connection] : connections_) close(socket);
  close(poll_);
  close(stop_);
}

void Acceptor::Stop() {
  const uint64_t one = 1;
  if (thread_.joinable() && write(stop_, &one, sizeof(one)) == sizeof(one)) thread_.join();
  for (const int listener : std::exchange(listeners_, {})) close(listener);
}

void Acceptor::Start(std::vector<Shard> shards) {
  shards_ = std::move(shards);
  load_.resize(shards_.size());
  thread_ = std::thread([this] { Run(); });
  pthread_setname_np(thread_.native_handle(), "acceptor");
}

void Acceptor::Run() {
  std::array<epoll_event, 64> events;
  for (;;) {
    const int count = epoll_wait(poll_, events.data(), events.size(), connections_.empty() ? -1 : kWatchMs);
    bool lacking = false;
    for (int i = 0; i < count; ++i) {
      const int socket = events[static_cast<size_t>(i)].data.fd;
      if (socket == stop_) return;
      if (connections_.contains(socket)) {
        OnEnded(socket);
      } else {
        lacking |= !AcceptFrom(socket);
      }
    }
    if (std::any_of(shards_.begin(), shards_.end(), [](const Shard& shard) { return shard.late && shard.late(); })) {
      EndFloods();
    }
    // Those who wait are still there afterwards. Meanwhile connections end, which gives descriptors back.
    if (lacking) usleep(kNoDescriptorsMs * 1000);
  }
}

// False if there were no descriptors left.
bool Acceptor::AcceptFrom(int listener) {
  for (int i = 0; i < kAcceptsPerTurn; ++i) {
    const int socket = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket < 0) return !LacksDescriptors(errno);
    Admit(socket);
  }
  return true;
}

void Acceptor::Admit(int socket) {
  const std::string peer = PeerName(socket);
  const bool admitted = !peer.empty() && connections_.size() < max_connections_;
  const int second = admitted ? fcntl(socket, F_DUPFD_CLOEXEC, 0) : -1;
  if (second < 0) {
    counters_.refused.Add(1);
    close(socket);
    return;
  }
  const int on = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &kUserTimeoutMs, sizeof(kUserTimeoutMs));
  const auto shard = static_cast<size_t>(std::min_element(load_.begin(), load_.end()) - load_.begin());
  ++load_[shard];
  connections_[second] = {peer, shard};
  {
    absl::MutexLock lock(&mutex_);
    sockets_[peer] = second;
  }
  counters_.accepted.Add(1);
  counters_.open.Set(connections_.size());
  Watch(poll_, second, 0);  // only whether it has ended
  shards_[shard].take(socket);
}

void Acceptor::OnEnded(int socket) {
  const auto connection = connections_.find(socket);
  {
    absl::MutexLock lock(&mutex_);
    const auto named = sockets_.find(connection->second.peer);
    if (named != sockets_.end() && named->second == socket) sockets_.erase(named);  // else the name has a new one
  }
  --load_[connection->second.shard];
  connections_.erase(connection);
  close(socket);
  counters_.open.Set(connections_.size());
}

void Acceptor::EndFloods() {
  std::vector<char> bytes(kFloodBytes);
  for (const auto& [socket, connection] : connections_) {
    const ssize_t waiting = recv(socket, bytes.data(), bytes.size(), MSG_PEEK | MSG_DONTWAIT);
    if (waiting <= 0 || !IsFrameFlood({bytes.data(), static_cast<size_t>(waiting)})) continue;
    Log(LogLevel::kWarning, "connection ended: a flood of frames kept others waiting", {{"peer", connection.peer}});
    End(connection.peer);
  }
}

void Acceptor::End(absl::string_view peer) {
  absl::MutexLock lock(&mutex_);
  const auto named = sockets_.find(NormalPeer(peer));
  if (named == sockets_.end()) return;
  counters_.ended.Add(1);
  shutdown(named->second, SHUT_RDWR);
}

}  // namespace aaren::rpc
