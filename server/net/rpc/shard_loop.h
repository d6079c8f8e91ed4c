#ifndef AAREN_SERVER_NET_RPC_SHARD_LOOP_H_
#define AAREN_SERVER_NET_RPC_SHARD_LOOP_H_

// A ShardLoop is one core of the server: a grpc::Server without a port, one completion queue, one thread, and the
// SessionShard that they feed. An Acceptor gives the loop its connections. The round makes the loop fast: drain the
// queue, step every token that arrived, write one merged message per touched stream. The thread polls for a moment
// before it sleeps, since a wake-up costs more than a step.
//
// Leaving (leaving.h): Drain begins to leave from any thread. The loop tells health watchers and streams, refuses unary
// calls and serves streams on for a moment. Then the loop takes no more tokens, answers the taken ones, saves, and ends
// every stream. At last closed() is notified. Clients that do not read are cut off at the deadline.
//
// gRPC may keep the thread for long. Another thread then runs rounds until the first is back (shard_threads.h).
//
// Threading: Start, Drain, ShutdownServer, Stop by the owner, one after another; counters by any thread.

#include <functional>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/synchronization/notification.h"
#include "absl/time/time.h"
#include "grpcpp/resource_quota.h"
#include "grpcpp/security/server_credentials.h"
#include "grpcpp/server.h"
#include "server/identity/callers.h"
#include "server/net/rpc/baton.h"
#include "server/net/rpc/event_queue.h"
#include "server/net/rpc/leaving.h"
#include "server/net/rpc/limits/connection_limits.h"
#include "server/net/rpc/new_connections.h"
#include "server/net/rpc/round_clock.h"
#include "server/net/rpc/services/shard_services.h"
#include "server/net/rpc/shard_threads.h"
#include "server/net/rpc/streams/stream_group.h"
#include "server/operate/trace/tracer.h"
#include "server/sessions/models/model_table.h"
#include "server/sessions/registrar/registrar.h"
#include "server/sessions/shard/shard.h"

namespace aaren::rpc {

struct LoopOptions {
  int index = 0;
  int core = -1;  // the core of the thread; below zero: any core
  shard::ShardOptions shard = {};
  StreamLimits limits = {};
  ConnectionLimits connections = {};
  trace::TracerOptions traces = {};
  trace::SpanBuffer* spans = nullptr;              // where spans go; null: nothing is traced
  size_t message_bytes = 4 << 20;                  // largest ClientMessage
  absl::Duration store_grace = absl::Seconds(10);  // the health service tells of a store away for longer
  grpc::ResourceQuota* quota = nullptr;            // shared by all loops; null: none
  std::shared_ptr<grpc::ServerCredentials> credentials = grpc::InsecureServerCredentials();
  const identity::Callers* callers = nullptr;           // the known callers; null: everybody may do everything
  std::function<void()> end_all_connections = nullptr;  // ends the connections of all shards
};

class ShardLoop {
 public:
  // Calls wait until Start. Unavailable if gRPC cannot serve. The arguments outlive the loop.
  static absl::StatusOr<std::unique_ptr<ShardLoop>> Make(const LoopOptions& options, const models::ModelTable& models,
                                                         registrar::Registrar& registrar, const session::Clock& clock);
  ~ShardLoop();  // REQUIRES: stopped, or never started; the registrar is gone or does not know the loop

  void Start();

  // Serves a connection: a nonblocking socket, which the loop owns from now on. From any thread, before ShutdownServer.
  void Take(int socket);

  // How long the round under way has taken; zero while none is. From any thread.
  absl::Duration round() const { return rounds_.round(); }

  // Lets another thread go on while gRPC keeps the thread at work. True if a relief begins. Call Relieve every few
  // milliseconds, from one thread.
  bool Relieve() { return threads_.Relieve(); }

  // The sum of the times of rounds that had work. From any thread.
  int64_t busy_ns() const { return rounds_.busy_ns(); }

  // Leaves within `grace`.
  void Drain(absl::Duration grace);
  const absl::Notification& closed() const { return closed_; }

  // True if every session with unsaved tokens was saved. REQUIRES: closed().
  bool all_saved() const { return leaving_.all_saved(); }

  // Takes no further call and cancels the remaining calls. REQUIRES: closed().
  void ShutdownServer();

  // Ends the thread. REQUIRES: ShutdownServer was called, on every loop of the server.
  void Stop();

  shard::SessionShard& shard() { return shard_; }
  const StreamGroup& streams() const { return *streams_; }  // the loop's thread only
  const shard::ShardCounters& shard_counters() const { return shard_.counters(); }
  const StreamCounters& stream_counters() const { return streams_->counters(); }
  const trace::TracerCounters* trace_counters() const { return tracer_ ? &tracer_->counters() : nullptr; }

 private:
  ShardLoop(const LoopOptions& options, const models::ModelTable& models, registrar::Registrar& registrar,
            const session::Clock& clock);
  absl::Status Build();
  void KeepToCore() const;
  void Run();
  void RunWhileKept(size_t hand);
  void AcceptCalls(bool accept);
  bool DoRound();
  bool Round();
  bool TakeIn();
  bool MayStep() const;
  void Tick(absl::Time now);
  void BeginDrain(absl::Duration grace);
  void Advance(absl::Time now, bool stepped);

  const LoopOptions options_;
  const session::Clock& clock_;
  const std::unique_ptr<trace::Tracer> tracer_;  // null: nothing is traced
  shard::SessionShard shard_;
  ShardServices services_;
  int calls_ = 0;         // alive on the queue
  LastWords last_words_;  // the streams' statuses
  Baton baton_;
  std::unique_ptr<EventQueue> queue_;
  std::unique_ptr<StreamGroup> streams_;
  std::unique_ptr<NewConnections> connections_;
  std::unique_ptr<grpc::Server> server_;
  ShardThreads threads_;
  RoundClock rounds_;
  Leaving leaving_;
  absl::Notification closed_;  // notified after the last change of leaving_
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_NET_RPC_SHARD_LOOP_H_
