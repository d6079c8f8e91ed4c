#include "server/accept/acceptor.h"

#include <linux/tcp.h>
#include <malloc.h>
#include <netinet/in.h>
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
#include "server/accept/peer_name.h"
#include "server/accept/tcp_socket.h"
#include "server/log/log.h"

namespace aaren::accept {
namespace {

constexpr int kBacklog = 4096;  // connections that wait to be accepted; the kernel has its own limit
constexpr int kAcceptsPerTurn = 64;
constexpr int kWatchMs = 20;                               // between two looks at the shards
constexpr int kReadingMs = 2;                              // likewise, while they work
constexpr int64_t kCauseNs = 1'000'000'000;                // who is ended so long after a shard did little but read
constexpr int64_t kWorksOnNs = 100'000'000;                // a shard that has worked, maybe
constexpr int kGateMs = 1;                                 // likewise, while handshakes wait for their turn
constexpr absl::Duration kPause = absl::Milliseconds(20);  // until there are descriptors again, or a shard is in time
constexpr size_t kLookBytes = 128 << 10;                   // where small calls wait, more than are allowed at once
constexpr absl::Duration kBetweenLooks = absl::Milliseconds(20);
constexpr size_t kLooksAround = 100;  // until each connection was looked at: all at once would take milliseconds
constexpr size_t kLeastLooks = 64;
constexpr absl::Duration kBetweenScans = absl::Milliseconds(100);   // of a full table
constexpr absl::Duration kBetweenReliefs = absl::Milliseconds(20);  // at least; looks take a fifth of the time at most
constexpr absl::Duration kTrimAfter = absl::Seconds(5);             // after the last flood
constexpr absl::Duration kClosed = absl::Seconds(10);  // at most, until shards have let go of what ended ones brought

// The kernel asks a peer that is silent for so long whether it is still there, three times. Connections that came
// together are not asked together: of thousands of questions at once most would be lost.
constexpr int kSilentSeconds = 60, kSpreadSeconds = 60;
constexpr int kProbeSeconds = 10, kProbes = 3;
// Until data that nobody acknowledges ends a connection; the kernel takes it for the end of all questions too.
constexpr int kUserTimeoutMs = 1000 * (kSilentSeconds + kSpreadSeconds + kProbes * kProbeSeconds);

void Watch(int poll, int socket) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = socket;
  epoll_ctl(poll, EPOLL_CTL_ADD, socket, &event);
}

void Set(int socket, int level, int option, int value) { setsockopt(socket, level, option, &value, sizeof(value)); }

// Peers that vanish without a word are found.
void SetUp(int socket, uint64_t number) {
  Set(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  Set(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, kUserTimeoutMs);
  Set(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  Set(socket, IPPROTO_TCP, TCP_KEEPIDLE, kSilentSeconds + static_cast<int>(number % kSpreadSeconds));
  Set(socket, IPPROTO_TCP, TCP_KEEPINTVL, kProbeSeconds);
  Set(socket, IPPROTO_TCP, TCP_KEEPCNT, kProbes);
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

void Acceptor::Start(std::vector<Shard> shards, const Bounds& bounds, std::function<size_t()> excess,
                     std::function<int64_t()> worked_ns) {
  shards_ = std::move(shards);
  worked_ns_ = std::move(worked_ns);
  bounds_ = bounds;
  relief_.emplace(std::move(excess));
  placement_.emplace(shards_.size());
  gate_.emplace(HandshakeGate::Options{.tls = bounds.tls, .shards = shards_.size(), .within = bounds.opening}, poll_);
  {
    absl::MutexLock lock(&mutex_);
    table_.emplace(shards_.size());
  }
  thread_ = std::thread([this] { Run(); });
  pthread_setname_np(thread_.native_handle(), "acceptor");
}

void Acceptor::Run() {
  std::array<epoll_event, 64> events;
  std::vector<int> ready;
  for (;;) {
    const int count = epoll_wait(poll_, events.data(), events.size(), patience());
    ready.clear();
    for (int i = 0; i < count; ++i) ready.push_back(events[static_cast<size_t>(i)].data.fd);
    if (std::find(ready.begin(), ready.end(), stop_) != ready.end()) return;
    Turn(ready);
  }
}

// Milliseconds, as epoll_wait takes them.
int Acceptor::patience() const {
  if (gate_->waiting()) return kGateMs;
  if (counters_.open.value() == 0 && !HasMemoryToGive()) return -1;
  return clock_.NowNanos() - last_work_ns_ < kWorksOnNs ? kReadingMs : kWatchMs;
}

bool Acceptor::HasMemoryToGive() const {
  absl::MutexLock lock(&mutex_);
  return trim_at_ < absl::InfiniteFuture();
}

void Acceptor::Turn(absl::Span<const int> ready) {
  if (clock_.Now() >= next_look_) {
    absl::MutexLock lock(&mutex_);
    next_look_ = clock_.Now() + kBetweenLooks;
    ForgetEnded(std::max(kLeastLooks, table_->size() / kLooksAround));
  }
  if (placement_->Due(clock_.Now())) LookAtShards();
  HoldReaders();
  if (clock_.Now() >= next_relief_) EndGreatest();
  const bool waiting = late() || (relief_->crowded() && clock_.Now() < closed_until_);
  bool lacking = false;
  std::vector<int> listeners;
  for (const int socket : ready) {
    if (!gate_->Look(socket)) listeners.push_back(socket);
  }
  gate_->CloseSilent(clock_.Now());
  if (waiting) {
    EndFloods();
  } else {
    gate_->Advance(clock_.Now(), placement_->busy());
    for (const int listener : listeners) lacking |= !AcceptFrom(listener);
    if (std::exchange(last_look_ns_, 0) != 0) ForgetEvidence();
    GiveMemoryBack();
  }
  // Those who wait to be accepted are still there afterwards.
  if (waiting || lacking) absl::SleepFor(kPause);
}

// What a flood took is the heap's until somebody asks for it. That takes tens of milliseconds, in which the heap is
// closed to others, so it is done once and not between two floods.
void Acceptor::GiveMemoryBack() {
  {
    absl::MutexLock lock(&mutex_);
    if (clock_.Now() < trim_at_) return;
    trim_at_ = absl::InfiniteFuture();
  }
  malloc_trim(0);
}

bool Acceptor::late() const {
  return std::any_of(shards_.begin(), shards_.end(), [](const Shard& shard) { return shard.late && shard.late(); });
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
  std::optional<size_t> shard;
  {
    absl::MutexLock lock(&mutex_);
    if (Admits(peer, socket)) {
      shard = placement_->Choose(table_->of_shards());
      table_->Add(peer, socket, *shard);
    }
    counters_.open.Set(table_->size());
  }
  if (!shard) {
    counters_.refused.Add(1);
    close(socket);
    return;
  }
  SetUp(socket, counters_.accepted.value());
  counters_.accepted.Add(1);
  gate_->Hold(socket, HostOf(peer), shards_[*shard].take, clock_.Now());
}

bool Acceptor::Admits(const std::string& peer, int socket) {
  if (peer.empty()) return false;
  const std::string host = HostOf(peer);
  return !refused_.Has(host, clock_.Now()) && HasPlaceFor(host, socket);
}

void Acceptor::LookAtShards() {
  std::vector<int64_t> busy_ns;
  for (const Shard& shard : shards_) busy_ns.push_back(shard.busy_ns ? shard.busy_ns() : 0);
  placement_->Look(busy_ns, clock_.Now());
}

// Those that have ended are looked for at most ten times a second: whoever knocks at a full table costs little.
bool Acceptor::HasPlaceFor(const std::string& host, int socket) {
  if (table_->size() < max_connections_) return true;
  if (clock_.Now() >= next_scan_) {
    next_scan_ = clock_.Now() + kBetweenScans;
    ForgetEnded(table_->size());
  }
  if (table_->size() < max_connections_) return true;
  if (!IsEstablished(socket)) return false;
  const std::optional<std::string> other = table_->WhoGivesWayTo(host, clock_.Now());
  if (!other) return false;
  log::Log(log::LogLevel::kWarning, "connection ended: all places are taken, and its host has most",
           {{"peer", *other}});
  EndNow(*table_->Find(*other));
  table_->Remove(*other);
  return true;
}

void Acceptor::ForgetEnded(size_t most) {
  refused_.Forget(clock_.Now());
  look_.resize(kLookBytes);
  const auto look = [this, now = clock_.Now()](const std::string& peer, Connection& connection)
                        ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
                          EndIfBroken(peer, connection);
                          if (relief_->crowded()) return;
                          connection.Age(now);
                          if (connection.BringsNothing(bounds_.message_bytes)) EndFlood(peer, connection);
                        };
  table_->RemoveEnded(most, look);
  counters_.open.Set(table_->size());
}

// While gRPC can keep up with a client, little waits.
void Acceptor::EndIfBroken(const std::string& peer, Connection& connection) {
  constexpr int kMuch = 16 << 10;
  int waiting = 0;
  if (ioctl(connection.socket, FIONREAD, &waiting) != 0 || waiting < kMuch) return;
  const absl::string_view bytes = connection.Peek(absl::MakeSpan(look_));
  if (HasEndlessHeaders(bytes) || HasTooManyCalls(bytes)) EndFlood(peer, connection);
}

MemoryRelief::Brought Acceptor::Brought() {
  MemoryRelief::Brought brought;
  for (auto& [peer, connection] : table_->connections()) brought.emplace_back(peer, connection.TakeBrought());
  return brought;
}

void Acceptor::EndGreatest() {
  const absl::Time begin = clock_.Now();
  absl::MutexLock lock(&mutex_);
  const std::vector<std::string> peers =
      relief_->WhoMustGo([this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return Brought(); });
  const absl::Time now = clock_.Now();
  next_relief_ = now + std::max(kBetweenReliefs, 4 * (now - begin));
  for (const std::string& peer : peers) {
    const Connection& connection = *table_->Find(peer);
    if (!EndNow(connection)) continue;
    log::Log(log::LogLevel::kWarning, "connection ended: memory is short, and it is among the greatest senders",
             {{"peer", peer}});
    refused_.Refuse(connection.host, clock_.Now());
    closed_until_ = clock_.Now() + kClosed;
  }
}

void Acceptor::HoldReaders() {
  const int64_t now_ns = clock_.NowNanos();
  int64_t busy_ns = 0, kept_ns = worked_ns_ ? worked_ns_() : 0;
  for (const Shard& shard : shards_) {
    if (shard.relieve && shard.relieve()) counters_.reliefs.Add(1);
    kept_ns += shard.kept_ns ? shard.kept_ns() : 0;
    busy_ns += shard.busy_ns ? shard.busy_ns() : 0;
  }
  absl::MutexLock lock(&mutex_);
  for (const std::string& peer : reading_.Look(*table_, kept_ns, now_ns)) {
    EndFlood(peer, table_->connections().at(peer));
  }
  counters_.held.Set(reading_.holds());
  if (std::exchange(last_busy_ns_, busy_ns) != busy_ns || reading_.watching()) last_work_ns_ = now_ns;
}

void Acceptor::EndFloods() {
  look_.resize(kLookBytes);
  absl::MutexLock lock(&mutex_);
  for (auto& [peer, connection] : table_->connections()) {
    if (!connection.Lasts() || !Floods(connection)) continue;
    connection.evidence = {};
    EndFlood(peer, connection);
  }
  last_look_ns_ = clock_.NowNanos();
}

void Acceptor::EndFlood(const std::string& peer, Connection& connection) {
  log::Log(log::LogLevel::kWarning, "connection ended: a flood of frames kept others waiting", {{"peer", peer}});
  if (EndForGood(peer, connection)) RefuseFlood(connection.host);
}

// Others of its connections that are held are no better.
void Acceptor::RefuseFlood(const std::string& host) {
  trim_at_ = clock_.Now() + kTrimAfter;
  refused_.RefuseFlood(host, clock_.Now());
  for (const std::string& peer : reading_.TakeHeldOf(host, *table_)) EndForGood(peer, table_->connections().at(peer));
}

bool Acceptor::Floods(Connection& connection) {
  tcp_info info{};
  socklen_t size = sizeof(info);
  int waiting = 0;
  if (getsockopt(connection.socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return false;
  if (ioctl(connection.socket, FIONREAD, &waiting) != 0) return false;
  FloodEvidence::Look look;
  if (waiting > 0) look.waiting = connection.Peek(absl::MakeSpan(look_));
  look.read = info.tcpi_bytes_received - std::min<uint64_t>(info.tcpi_bytes_received, static_cast<uint64_t>(waiting));
  look.handled = connection.heard->ns() > last_look_ns_ && last_look_ns_ != 0;
  return connection.evidence.Add(look);
}

// Evidence is of one time that a shard was late.
void Acceptor::ForgetEvidence() {
  absl::MutexLock lock(&mutex_);
  for (auto& [peer, connection] : table_->connections()) connection.evidence = {};
}

void Acceptor::End(absl::string_view peer) {
  const std::string name = NormalPeer(peer);
  absl::MutexLock lock(&mutex_);
  if (!table_) return;
  const auto found = table_->connections().find(name);
  if (found == table_->connections().end() || !EndForGood(name, found->second)) return;
  if (reading_.ReadSince(clock_.NowNanos() - kCauseNs)) {
    RefuseFlood(found->second.host);
  } else {
    refused_.Refuse(found->second.host, clock_.Now());
  }
}

void Acceptor::EndAll() {
  absl::MutexLock lock(&mutex_);
  if (!table_) return;
  size_t ended = 0;
  for (const auto& [peer, connection] : table_->connections()) ended += EndNow(connection);
  if (ended == 0) return;
  log::Log(log::LogLevel::kWarning, "connections ended: the server leaves", {{"connections", absl::StrCat(ended)}});
}

// Its client did wrong. False if it has ended already.
bool Acceptor::EndForGood(const std::string& peer, Connection& connection) {
  const uint64_t brought = connection.TakeBrought();
  if (!EndNow(connection)) return false;
  relief_->NoteEnded(peer, brought);
  return true;
}

bool Acceptor::EndNow(const Connection& connection) {
  if (!connection.Lasts()) return false;
  counters_.ended.Add(1);  // before its client knows
  return connection.Reset();
}

std::shared_ptr<Heard> Acceptor::HeardOf(absl::string_view peer) {
  const std::string name = NormalPeer(peer);
  absl::MutexLock lock(&mutex_);
  const Connection* connection = table_ ? table_->Find(name) : nullptr;
  return connection != nullptr ? connection->heard : nullptr;
}

}  // namespace aaren::accept
