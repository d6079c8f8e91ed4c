#ifndef AAREN_SERVER_NET_ACCEPT_ACCEPTOR_H_
#define AAREN_SERVER_NET_ACCEPT_ACCEPTOR_H_

// The Acceptor listens, and gives each connection to a shard (placement.h) once the client has spoken
// (handshake_gate.h). Beyond the limit a connection is closed as soon as it is accepted; the last eighth of the places
// is for hosts with few connections, so that no host keeps all others out. Three acts end a connection: a header that
// never ends (connection_table.h), more calls than are allowed (waiting_frames.h), and growth of the process beyond its
// memory (machine/memory/memory_watch.h). While gRPC keeps a shard's thread, the acceptor lets another thread run the
// shard (net/rpc/baton.h). README.md has the reasons.
//
// Threading: Start, Stop and the destructor by the owner; EndAll by anybody; counters are read by any thread.

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
#include "server/machine/address/address.h"
#include "server/machine/memory/memory_watch.h"
#include "server/net/accept/connection_table.h"
#include "server/net/accept/handshake_gate.h"
#include "server/net/accept/placement.h"
#include "server/operate/counters/counter.h"
#include "server/sessions/session/clock.h"

namespace aaren::accept {

struct ConnectionCounters {
  counters::Counter open;  // a level
  counters::Counter accepted, refused, ended;
  counters::Counter reliefs;  // how often another thread took over a shard because gRPC kept the shard's thread
};

class Acceptor {
 public:
  // The acceptor's thread calls all three functions.
  struct Shard {
    std::function<void(int socket)> take;     // serves a connection; the shard owns the nonblocking socket from then on
    std::function<int64_t()> busy_ns;         // how long the shard has worked since its start; null: never
    std::function<bool()> relieve = nullptr;  // lets another thread go on for a kept one; true if it begins
  };

  // Connections wait until Start. Errors as of address::ListenOn. `clock` outlives this.
  static absl::StatusOr<std::unique_ptr<Acceptor>> Listen(const address::Address& address, size_t max_connections,
                                                          const session::Clock& clock = session::Clock::System());
  ~Acceptor();

  // `shards`: an element for each shard; the shards outlive the acceptor.
  //
  // `excess`: by how many bytes the process holds more than it may; null: never.
  void Start(std::vector<Shard> shards, const HandshakeGate::Options& gate, std::function<size_t()> excess = nullptr);

  // Accepts no further connection: new clients are refused.
  void Stop();

  // Ends all connections. Bytes not sent by then are lost to the clients.
  void EndAll() ABSL_LOCKS_EXCLUDED(mutex_);

  int port() const { return port_; }
  const ConnectionCounters& counters() const { return counters_; }

 private:
  Acceptor(size_t max_connections, const session::Clock& clock);
  void Run();
  void Turn(absl::Span<const epoll_event> events) ABSL_LOCKS_EXCLUDED(mutex_);
  int patience() const;
  bool AcceptFrom(int listener);
  void Admit(int socket) ABSL_LOCKS_EXCLUDED(mutex_);
  bool HasPlaceFor(const std::string& host) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool Admits(const std::string& host) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void LookAtShards(absl::Time now);
  void LookAtMemory(absl::Time now) ABSL_LOCKS_EXCLUDED(mutex_);
  void LookAtConnections(size_t most) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void End(const Connection& connection, absl::string_view why) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const size_t max_connections_;
  const session::Clock& clock_;
  int port_ = 0;
  const int poll_;  // epoll
  const int stop_;  // eventfd
  std::vector<int> listeners_;
  std::vector<Shard> shards_;
  ConnectionCounters counters_;
  absl::Time next_look_ = absl::InfinitePast();  // at some of the connections
  absl::Time next_scan_ = absl::InfinitePast();  // for a scan of a full table
  std::optional<memory::MemoryWatch> memory_;    // this and the next three since Start
  std::optional<Placement> placement_;
  std::optional<HandshakeGate> gate_;
  std::optional<ConnectionTable> table_ ABSL_GUARDED_BY(mutex_);
  absl::Mutex mutex_;
  std::thread thread_;
};

}  // namespace aaren::accept

#endif  // AAREN_SERVER_NET_ACCEPT_ACCEPTOR_H_
