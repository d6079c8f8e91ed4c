#ifndef AAREN_SERVER_RPC_ACCEPTOR_H_
#define AAREN_SERVER_RPC_ACCEPTOR_H_

// The Acceptor listens, and gives each connection to the shard that has fewest. gRPC could listen by itself, but it
// stops accepting for good when file descriptors run out, counts no connections, and lets nobody end one.
//
// It keeps a second descriptor of each connection, by which it learns that the connection has ended and can end it.
// Beyond the limit a connection is closed as soon as it is accepted.
//
// It watches the shards, too: while one is late, connections on which a flood of frames waits are ended
// (frame_flood.h).
//
// Threading: Start, Stop and the destructor by the owner; End by anybody; counters are readable from any thread.

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
#include "server/address/address.h"
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
  static absl::StatusOr<std::unique_ptr<Acceptor>> Listen(const Address& address, size_t max_connections);
  ~Acceptor();

  // One for each shard. They outlive this.
  void Start(std::vector<Shard> shards);

  // Accepts nothing any more. Whoever connects is refused.
  void Stop();

  // Ends the connection of this peer, as grpc::ServerContext::peer() names it, if it is still there.
  void End(absl::string_view peer) ABSL_LOCKS_EXCLUDED(mutex_);

  int port() const { return port_; }
  const ConnectionCounters& counters() const { return counters_; }

 private:
  struct Connection {
    std::string peer;
    size_t shard = 0;
  };

  explicit Acceptor(size_t max_connections);
  void Run();
  bool AcceptFrom(int listener);
  void Admit(int socket) ABSL_LOCKS_EXCLUDED(mutex_);
  void OnEnded(int socket) ABSL_LOCKS_EXCLUDED(mutex_);
  void EndFloods() ABSL_LOCKS_EXCLUDED(mutex_);

  const size_t max_connections_;
  int port_ = 0;
  int poll_ = -1;  // epoll
  int stop_ = -1;  // eventfd
  std::vector<int> listeners_;
  std::vector<Shard> shards_;
  std::vector<size_t> load_;  // connections of each shard; the thread's only
  ConnectionCounters counters_;
  absl::flat_hash_map<int, Connection> connections_;  // by second descriptor; the thread's only
  absl::Mutex mutex_;
  absl::flat_hash_map<std::string, int> sockets_ ABSL_GUARDED_BY(mutex_);  // second descriptors, by peer
  std::thread thread_;
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_RPC_ACCEPTOR_H_
