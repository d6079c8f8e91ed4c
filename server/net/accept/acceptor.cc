#include "server/net/accept/acceptor.h"

#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "server/machine/socket/peer_name.h"
#include "server/machine/socket/socket_options.h"
#include "server/net/accept/waiting_frames.h"
#include "server/operate/log/log.h"

namespace aaren::accept {
namespace {

constexpr int kBacklog = 4096;       // connections waiting to be accepted; the kernel has a limit of its own
constexpr int kAcceptsPerTurn = 64;  // then shards and open connections are looked at
constexpr int kWatchMs = 20;         // between two looks at the connections
constexpr int kRelieveMs = 2;        // between two looks at shards, while a shard works
constexpr int kGateMs = 1;           // while handshakes wait for their turn
constexpr absl::Duration kPause = absl::Milliseconds(20);  // after the descriptors ran out, before the next try
constexpr absl::Duration kBetweenLooks = absl::Milliseconds(20);
constexpr size_t kLooksAround = 100;  // until each connection was looked at: all at once would take milliseconds
constexpr size_t kLeastLooks = 64;
constexpr absl::Duration kBetweenScans = absl::Milliseconds(100);  // between two scans of a full table
constexpr int kMuchWaits = 16 << 10;                               // bytes
constexpr size_t kLookBytes = 128 << 10;  // where small calls wait, more than are allowed at once
constexpr size_t kEndedAtOnce = 16;       // then the memory is measured again
constexpr size_t kReserved = 8;           // an eighth of the places is for hosts with fewer connections

void Watch(int poll, int socket) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = socket;
  epoll_ctl(poll, EPOLL_CTL_ADD, socket, &event);
}

// While gRPC can keep up with a client, little waits.
bool BreaksHttp2(const sockets::ForeignSocket& socket) {
  int waiting = 0;
  if (ioctl(socket.descriptor(), FIONREAD, &waiting) != 0 || waiting < kMuchWaits || !socket.Lasts()) return false;
  std::string bytes(kLookBytes, 0);
  bytes.resize(static_cast<size_t>(
      std::max<ssize_t>(0, recv(socket.descriptor(), bytes.data(), bytes.size(), MSG_PEEK | MSG_DONTWAIT))));
  return BreakHttp2(bytes);
}

bool LacksDescriptors(int error) { return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM; }

}  // namespace

Acceptor::Acceptor(size_t max_connections, const session::Clock& clock)
    : max_connections_(max_connections),
      clock_(clock),
      poll_(epoll_create1(EPOLL_CLOEXEC)),
      stop_(eventfd(0, EFD_CLOEXEC)) {
  Watch(poll_, stop_);
}

absl::StatusOr<std::unique_ptr<Acceptor>> Acceptor::Listen(const address::Address& address, size_t max_connections,
                                                           const session::Clock& clock) {
  std::unique_ptr<Acceptor> acceptor(new Acceptor(max_connections, clock));
  absl::StatusOr<std::vector<int>> listeners = address::ListenOn(address, kBacklog);
  if (!listeners.ok()) return listeners.status();
  acceptor->listeners_ = *std::move(listeners);
  acceptor->port_ = address::PortOf(acceptor->listeners_.front());
  for (const int listener : acceptor->listeners_) Watch(acceptor->poll_, listener);
  return acceptor;
}

Acceptor::~Acceptor() {
  Stop();
  close(poll_);
  close(stop_);
}

void Acceptor::Stop() {
  const uint64_t one = 1;
  if (thread_.joinable() && write(stop_, &one, sizeof(one)) == sizeof(one)) thread_.join();
  for (const int listener : std::exchange(listeners_, {})) close(listener);
}

void Acceptor::Start(std::vector<Shard> shards, const HandshakeGate::Options& gate, std::function<size_t()> excess) {
  shards_ = std::move(shards);
  memory_.emplace(std::move(excess));
  placement_.emplace(shards_.size());
  gate_.emplace(gate, poll_);
  {
    absl::MutexLock lock(&mutex_);
    table_.emplace(shards_.size());
  }
  thread_ = std::thread([this] { Run(); });
  pthread_setname_np(thread_.native_handle(), "acceptor");
}

void Acceptor::Run() {
  std::array<epoll_event, 64> events;
  for (;;) {
    const int count = epoll_wait(poll_, events.data(), events.size(), patience());
    const auto ready = absl::MakeConstSpan(events).first(static_cast<size_t>(std::max(count, 0)));
    if (std::any_of(ready.begin(), ready.end(), [this](const auto& event) { return event.data.fd == stop_; })) return;
    Turn(ready);
  }
}

// In milliseconds, as epoll_wait takes the time. While shards work, memory may grow fast, too.
int Acceptor::patience() const {
  if (gate_->waiting()) return kGateMs;
  if (counters_.open.value() == 0) return -1;
  return placement_->busy() ? kRelieveMs : kWatchMs;
}

void Acceptor::Turn(absl::Span<const epoll_event> events) {
  const absl::Time now = clock_.Now();
  if (now >= next_look_) {
    absl::MutexLock lock(&mutex_);
    next_look_ = now + kBetweenLooks;
    LookAtConnections(std::max(kLeastLooks, table_->size() / kLooksAround));
  }
  LookAtMemory(now);
  LookAtShards(now);
  bool lacking = false;
  for (const epoll_event& event : events) {
    if (!gate_->Look(event)) lacking |= !AcceptFrom(event.data.fd);
  }
  gate_->CloseSilent(now);
  gate_->Advance(now, placement_->busy());
  if (lacking) absl::SleepFor(kPause);  // the waiting clients are still there after the pause
}

// False if the descriptors ran out.
bool Acceptor::AcceptFrom(int listener) {
  for (int i = 0; i < kAcceptsPerTurn; ++i) {
    const int socket = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket < 0) return !LacksDescriptors(errno);
    Admit(socket);
  }
  return true;
}

void Acceptor::Admit(int socket) {
  const std::string peer = sockets::PeerName(socket), host = sockets::HostOf(peer);
  std::optional<size_t> shard;
  {
    absl::MutexLock lock(&mutex_);
    if (!peer.empty() && HasPlaceFor(host)) {
      shard = placement_->Choose(table_->of_shards());
      table_->Add(socket, host, *shard);
    }
    counters_.open.Set(table_->size());
  }
  if (!shard) {
    counters_.refused.Add(1);
    close(socket);
    return;
  }
  sockets::SetOptions(socket, counters_.accepted.value());
  counters_.accepted.Add(1);
  gate_->Hold(socket, host, shards_[*shard].take, clock_.Now());
}

bool Acceptor::Admits(const std::string& host) const {
  if (table_->size() >= max_connections_) return false;
  const bool few = memory_->is_short() || table_->size() >= max_connections_ - max_connections_ / kReserved;
  return !few || table_->OfHost(host) < kReserved;
}

// A full table is scanned for ended connections at most ten times a second: knocking at a full table costs little.
bool Acceptor::HasPlaceFor(const std::string& host) {
  if (!Admits(host) && clock_.Now() >= next_scan_) {
    next_scan_ = clock_.Now() + kBetweenScans;
    LookAtConnections(table_->size());
  }
  return Admits(host);
}

void Acceptor::LookAtShards(absl::Time now) {
  for (const Shard& shard : shards_) {
    if (shard.relieve && shard.relieve()) counters_.reliefs.Add(1);
  }
  if (!placement_->Due(now)) return;
  std::vector<int64_t> busy_ns;
  for (const Shard& shard : shards_) busy_ns.push_back(shard.busy_ns ? shard.busy_ns() : 0);
  placement_->Look(busy_ns, now);
}

void Acceptor::LookAtMemory(absl::Time now) {
  if (!memory_->Grows(now)) return;
  absl::MutexLock lock(&mutex_);
  for (const Connection* connection : table_->GreatestSenders(kEndedAtOnce)) {
    End(*connection, "memory is short, and it sends most");
  }
}

void Acceptor::LookAtConnections(size_t most) {
  const absl::Time now = clock_.Now();
  table_->RemoveEnded(most, [&](Connection& connection) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    const sockets::Traffic traffic = connection.socket.traffic();
    connection.sent.Look(traffic.bytes, now);
    if (connection.header_time.IsOver(traffic, now)) {
      End(connection, "a header does not end, and nothing is answered");
    } else if (BreaksHttp2(connection.socket)) {
      End(connection, "more calls wait there than are allowed, or a header does not end");
    }
  });
  counters_.open.Set(table_->size());
}

void Acceptor::End(const Connection& connection, absl::string_view why) {
  const std::string peer = sockets::PeerName(connection.socket.descriptor());
  counters_.ended.Add(1);  // before the client knows
  if (!connection.socket.Reset()) return;
  log::Log(log::LogLevel::kWarning, absl::StrCat("connection ended: ", why), {{"peer", peer}});
}

void Acceptor::EndAll() {
  absl::MutexLock lock(&mutex_);
  if (!table_) return;
  size_t ended = 0;
  table_->RemoveEnded(table_->size(), [&](Connection& connection) { ended += connection.socket.Reset(); });
  counters_.ended.Add(ended);
  if (ended == 0) return;
  log::Log(log::LogLevel::kWarning, "connections ended: the server leaves", {{"connections", absl::StrCat(ended)}});
}

}  // namespace aaren::accept
