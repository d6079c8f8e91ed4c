#ifndef AAREN_SERVER_RPC_ACCEPTOR_H_
#define AAREN_SERVER_RPC_ACCEPTOR_H_

// The Acceptor listens, and gives each connection to the shard that has fewest. gRPC could listen by itself, but it
// stops accepting for good when file descriptors run out, counts no connections, and lets nobody end one.
//
// The sockets are gRPC's, which closes them when it likes. So the acceptor knows each by its number and its cookie,
// which the kernel gives no other: twice a second it looks which are still there. Beyond the limit a connection is
// closed as soon as it is accepted.
//
// It watches the shards, too. While one is late nobody new is admitted, and connections that bring a flood of frames
// are ended (frame_flood.h); their hosts are refused for a second.
//
// Threading: Start, Stop and the destructor by the owner; End by anybody; counters are readable from any thread.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "server/address/address.h"
#include "server/rpc/frame_flood.h"
#include "server/session/clock.h"
#include "server/shard/shard_counters.h"

namespace aaren::rpc {

// Of all connections.
struct ConnectionCounters {
  Counter open;                      // a level
  Counter accepted, refused, ended;  // ended: by End
};

class Acceptor {
 public:
  // Both are called on the acceptor's thread.
  struct Shard {
    std::function<void(int socket)> take;  // a connection, a nonblocking socket that it owns from then on
    std::function<bool()> late;            // whether its round has taken far too long; null: never
  };

  // Listens on every address of the host; port 0: any free one. Connections wait until Start. InvalidArgument if the
  // host cannot be resolved, AlreadyExists if the port is in use, else PermissionDenied or FailedPrecondition.
  // `clock` outlives this.
  static absl::StatusOr<std::unique_ptr<Acceptor>> Listen(const Address& address, size_t max_connections,
                                                          const Clock& clock = Clock::System());
  ~Acceptor();

  // One for each shard. They outlive this.
  void Start(std::vector<Shard> shards);

  // Accepts nothing any more. Whoever connects is refused.
  void Stop();

  // Ends the connection of this peer, as grpc::ServerContext::peer() names it, if it is still there, and refuses its
  // host for a second.
  void End(absl::string_view peer) ABSL_LOCKS_EXCLUDED(mutex_);

  int port() const { return port_; }
  const ConnectionCounters& counters() const { return counters_; }

 private:
  struct Connection {
    size_t shard = 0;
    int socket = -1;  // while CookieOf(socket) is still `cookie`
    uint64_t cookie = 0;
    FloodEvidence evidence;  // while a shard is late
  };

  Acceptor(size_t max_connections, const Clock& clock);
  void Run();
  void Turn(absl::Span<const int> ready) ABSL_LOCKS_EXCLUDED(mutex_);
  bool late() const;
  bool AcceptFrom(int listener);
  void Admit(int socket) ABSL_LOCKS_EXCLUDED(mutex_);
  bool Admits(const std::string& peer) ABSL_LOCKS_EXCLUDED(mutex_);
  void ForgetEnded() ABSL_LOCKS_EXCLUDED(mutex_);
  void EndFloods() ABSL_LOCKS_EXCLUDED(mutex_);
  void ForgetEvidence() ABSL_LOCKS_EXCLUDED(mutex_);
  void EndNow(const std::string& peer, const Connection& connection) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const size_t max_connections_;
  const Clock& clock_;
  int port_ = 0;
  int poll_ = -1;  // epoll
  int stop_ = -1;  // eventfd
  std::vector<int> listeners_;
  std::vector<Shard> shards_;
  std::vector<size_t> load_;  // connections of each shard; the thread's only
  ConnectionCounters counters_;
  absl::Time next_look_ = absl::InfinitePast();  // for those that have ended
  bool looked_ = false;                          // for floods
  bool flooded_ = false;                         // memory may be given back
  absl::Mutex mutex_;
  absl::flat_hash_map<std::string, Connection> connections_ ABSL_GUARDED_BY(mutex_);  // by peer
  absl::flat_hash_map<std::string, absl::Time> refused_ ABSL_GUARDED_BY(mutex_);      // hosts, and until when
  std::thread thread_;
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_RPC_ACCEPTOR_H_
