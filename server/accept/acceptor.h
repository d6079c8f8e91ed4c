#ifndef AAREN_SERVER_ACCEPT_ACCEPTOR_H_
#define AAREN_SERVER_ACCEPT_ACCEPTOR_H_

// The Acceptor listens, and gives each connection to a shard (placement.h). gRPC could listen by itself. But it
// stops accepting for good when file descriptors run out, counts no connections, and lets nobody end one.
//
// Whoever has said nothing yet is kept from the shards (handshake_gate.h).
//
// Twice a second it looks which connections are still there. Beyond the limit a connection is closed as soon as it is
// accepted, unless another host has more than its share and gives way (connection_table.h).
//
// It watches the shards, too. A connection that keeps a thread is held (reading_watch.h). While a shard is late nobody
// new is admitted, and connections that bring a flood of frames are ended (frame_flood.h); their hosts are refused for
// a time (refused_hosts.h). It looks at any time for headers that never end, and for bytes of which nothing comes: no
// shard need be late. The greatest senders end while memory is short (memory_relief.h).
//
// Threading: Start, Stop and the destructor by the owner; End and EndAll by anybody; counters are read by any thread.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "server/accept/connection_table.h"
#include "server/accept/handshake_gate.h"
#include "server/accept/memory_relief.h"
#include "server/accept/placement.h"
#include "server/accept/reading_watch.h"
#include "server/accept/refused_hosts.h"
#include "server/address/address.h"
#include "server/counters/counter.h"
#include "server/session/clock.h"

namespace aaren::accept {

// Of all connections.
struct ConnectionCounters {
  counters::Counter open;                      // a level
  counters::Counter accepted, refused, ended;  // ended: by the server, not by gRPC
  counters::Counter held;                      // for a while, because reading it kept others waiting
  counters::Counter reliefs;                   // of shards' threads, because gRPC kept them
};

class Acceptor {
 public:
  // All are called on the acceptor's thread.
  struct Shard {
    std::function<void(int socket)> take;        // a connection, a nonblocking socket that it owns from then on
    std::function<bool()> late;                  // whether its round has taken far too long; null: never
    std::function<int64_t()> busy_ns;            // how long it has worked since its start; null: never
    std::function<int64_t()> kept_ns = nullptr;  // how long gRPC has kept threads of it, likewise
    std::function<bool()> relieve = nullptr;     // goes on without threads that gRPC keeps; true if it begins to
  };

  // Listens on every address of the host; port 0: any free one. Connections wait until Start. InvalidArgument if the
  // host cannot be resolved, AlreadyExists if the port is in use, else PermissionDenied or FailedPrecondition.
  // `clock` outlives this.
  static absl::StatusOr<std::unique_ptr<Acceptor>> Listen(const address::Address& address, size_t max_connections,
                                                          const session::Clock& clock = session::Clock::System());
  ~Acceptor();

  // What connections may bring.
  struct Bounds {
    bool tls = false;
    absl::Duration opening = absl::InfiniteDuration();  // their first words must have come; then they are closed
    size_t message_bytes = 4 << 20;                     // the greatest message
  };

  // One for each shard. They outlive this. `excess`: by how many bytes the process holds too much memory; null: it
  // never does. `worked_ns`: how long gRPC's own threads have worked; null: never.
  void Start(std::vector<Shard> shards, const Bounds& bounds, std::function<size_t()> excess = nullptr,
             std::function<int64_t()> worked_ns = nullptr);

  // Accepts nothing any more. Whoever connects is refused.
  void Stop();

  // Ends the connection of this peer, as grpc::ServerContext::peer() names it, if it is still there, and refuses its
  // host for a second.
  void End(absl::string_view peer) ABSL_LOCKS_EXCLUDED(mutex_);

  // Ends all connections. What their clients have not been sent by then is lost to them.
  void EndAll() ABSL_LOCKS_EXCLUDED(mutex_);

  // Where to write, by the clock of this, what becomes of this peer's connection; null if it is not there any more. A
  // flood is told by that, too.
  std::shared_ptr<Heard> HeardOf(absl::string_view peer) ABSL_LOCKS_EXCLUDED(mutex_);

  int port() const { return port_; }
  const ConnectionCounters& counters() const { return counters_; }

 private:
  Acceptor(size_t max_connections, const session::Clock& clock);
  void Run();
  void Turn(absl::Span<const int> ready) ABSL_LOCKS_EXCLUDED(mutex_);
  void GiveMemoryBack() ABSL_LOCKS_EXCLUDED(mutex_);
  bool late() const;
  int patience() const ABSL_LOCKS_EXCLUDED(mutex_);
  bool HasMemoryToGive() const ABSL_LOCKS_EXCLUDED(mutex_);
  bool AcceptFrom(int listener);
  void Admit(int socket) ABSL_LOCKS_EXCLUDED(mutex_);
  bool Admits(const std::string& peer, int socket) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void LookAtShards();
  bool HasPlaceFor(const std::string& host, int socket) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void ForgetEnded(size_t most) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void EndIfBroken(const std::string& peer, Connection& connection) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void EndFlood(const std::string& peer, Connection& connection) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  MemoryRelief::Brought Brought() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void EndGreatest() ABSL_LOCKS_EXCLUDED(mutex_);
  void HoldReaders() ABSL_LOCKS_EXCLUDED(mutex_);
  void EndFloods() ABSL_LOCKS_EXCLUDED(mutex_);
  void ForgetEvidence() ABSL_LOCKS_EXCLUDED(mutex_);
  bool EndForGood(const std::string& peer, Connection& connection) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool EndNow(const Connection& connection) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void RefuseFlood(const std::string& host) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool Floods(Connection& connection) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const size_t max_connections_;
  const session::Clock& clock_;
  Bounds bounds_;
  int port_ = 0;
  int poll_ = -1;  // epoll
  int stop_ = -1;  // eventfd
  std::vector<int> listeners_;
  std::vector<Shard> shards_;
  std::function<int64_t()> worked_ns_;  // of gRPC's own threads
  ConnectionCounters counters_;
  absl::Time next_look_ = absl::InfinitePast();  // for some that have ended
  absl::Time next_scan_ = absl::InfinitePast();  // for all of them, while all places are taken
  int64_t last_look_ns_ = 0;                     // for floods; 0: none since all shards were in time
  std::vector<char> look_;                       // what waits on one connection
  std::optional<MemoryRelief> relief_;           // since Start
  std::optional<Placement> placement_;           // likewise
  std::optional<HandshakeGate> gate_;            // likewise
  int64_t last_work_ns_ = 0;                     // when a shard was last seen to have worked
  int64_t last_busy_ns_ = 0;                     // of all shards, then
  absl::Time next_relief_ = absl::InfinitePast();
  absl::Time closed_until_ = absl::InfinitePast();  // nobody is admitted while memory is short
  mutable absl::Mutex mutex_;
  absl::Time trim_at_ ABSL_GUARDED_BY(mutex_) = absl::InfiniteFuture();  // memory is given back then
  std::optional<ConnectionTable> table_ ABSL_GUARDED_BY(mutex_);         // since Start
  ReadingWatch reading_ ABSL_GUARDED_BY(mutex_);
  RefusedHosts refused_ ABSL_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace aaren::accept

#endif  // AAREN_SERVER_ACCEPT_ACCEPTOR_H_
