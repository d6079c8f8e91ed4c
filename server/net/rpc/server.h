#ifndef AAREN_SERVER_NET_RPC_SERVER_H_
#define AAREN_SERVER_NET_RPC_SERVER_H_

// A Server is the whole server: `shards` ShardLoops, an Acceptor that listens on one port and gives connections to the
// loops, and a Registrar between the loops. The caller owns the models and the store: a benchmark may pass an engine of
// its own.
//
//   absl::StatusOr<std::unique_ptr<Server>> server = Server::Start({.listen = "127.0.0.1:0"}, models, store);
//   ... (*server)->address() ...
//   (*server)->Shutdown(absl::Seconds(20));
//
// Threading: Start, Shutdown and the destructor by one thread; the rest by any thread.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "grpcpp/resource_quota.h"
#include "grpcpp/security/server_credentials.h"
#include "server/identity/callers.h"
#include "server/machine/address/address.h"
#include "server/machine/cores/background.h"
#include "server/net/accept/acceptor.h"
#include "server/net/rpc/shard_loop.h"
#include "server/sessions/models/model_table.h"
#include "server/sessions/registrar/registrar.h"
#include "server/sessions/shard/shard.h"
#include "server/sessions/watch/watched_sessions.h"
#include "server/store/store.h"

namespace aaren::rpc {

struct ServerOptions {
  std::string listen = "127.0.0.1:0";
  int shards = 1;
  std::vector<int> cores = {};     // the cores that threads keep to, in turn; none: any core
  shard::ShardOptions shard = {};  // for each shard
  StreamLimits limits = {};        // for each shard
  ConnectionLimits connections = {};
  absl::Duration store_grace = absl::Seconds(10);  // the health service tells of a store away for longer
  size_t message_bytes = 4 << 20;                  // largest ClientMessage
  size_t transit_bytes = 64 << 20;                 // rows on their way between the store, shards and clients
  size_t max_connections = 16'384;
  std::shared_ptr<grpc::ServerCredentials> credentials = grpc::InsecureServerCredentials();  // for every connection
  bool tls = false;                                                                          // credentials are TLS's
  const identity::Callers* callers = nullptr;  // callers, outliving the server; null: everybody may do everything
  trace::TracerOptions traces = {};
  trace::SpanBuffer* spans = nullptr;  // where spans go, outlives the server; null: nothing is traced
  size_t process_bytes = 0;            // memory that the process may add while serving; 0: no limit
};

class Server {
 public:
  // `models` and `store` outlive the server. InvalidArgument for a bad address, AlreadyExists for a port in use.
  static absl::StatusOr<std::unique_ptr<Server>> Start(const ServerOptions& options, const models::ModelTable& models,
                                                       store::StateStore& store,
                                                       const session::Clock& clock = session::Clock::System());
  ~Server();  // calls Shutdown(a second) unless Shutdown was called

  // Leaves in good order (server/net/rpc/shard_loop.h) within `grace`, and returns when every session is saved and
  // every connection closed. False if a session could not be saved.
  bool Shutdown(absl::Duration grace);

  int port() const { return address_.port; }
  std::string address() const { return address_.ToString(); }

  // One element per shard, for as long as the server lives.
  std::vector<const shard::ShardCounters*> shard_counters() const;
  std::vector<const StreamCounters*> stream_counters() const;
  // The figures of one shard, numbered from 0.
  int shards() const { return static_cast<int>(loops_.size()); }
  int64_t busy_ns(int shard) const { return loops_[static_cast<size_t>(shard)]->busy_ns(); }
  absl::Duration round(int shard) const { return loops_[static_cast<size_t>(shard)]->round(); }

  // Gives `done` the oldest streams of a shard behind number `after`, at most `most`. The shard's thread calls `done`,
  // which must not block. REQUIRES: before Shutdown.
  void DescribeStreams(int shard, uint64_t after, size_t most,
                       absl::AnyInvocable<void(std::vector<StreamInfo>)> done) const;

  registrar::Sessions& sessions() const { return *registrar_; }
  watch::WatchedSessions& watched() const { return *watched_; }
  std::vector<const trace::TracerCounters*> trace_counters() const;  // none if nothing is traced
  size_t transit_bytes() const { return registrar_->transit_bytes(); }
  const store::StoreHealth& store_health() const { return registrar_->store_health(); }
  const accept::ConnectionCounters& connection_counters() const { return acceptor_->counters(); }

 private:
  Server(address::Address address, const ServerOptions& options, const models::ModelTable& models,
         store::StateStore& store, const session::Clock& clock);
  absl::Status Begin(const ServerOptions& options, const models::ModelTable& models);
  void ShutDownServers(absl::Duration linger);

  address::Address address_;
  const session::Clock& clock_;
  std::optional<grpc::ResourceQuota> quota_;  // the last resort: gRPC resets streams at random, with error 11
  const std::unique_ptr<watch::WatchedSessions> watched_ = std::make_unique<watch::WatchedSessions>();
  std::vector<std::unique_ptr<ShardLoop>> loops_;
  std::unique_ptr<registrar::Registrar> registrar_;          // destroyed before the loops: knows their shards
  std::unique_ptr<accept::Acceptor> acceptor_;               // destroyed before the loops: feeds them
  std::vector<std::unique_ptr<cores::Background>> endings_;  // for each loop's ShutdownServer
  bool running_ = false;
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_NET_RPC_SERVER_H_
