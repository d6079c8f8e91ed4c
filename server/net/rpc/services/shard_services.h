#ifndef AAREN_SERVER_NET_RPC_SERVICES_SHARD_SERVICES_H_
#define AAREN_SERVER_NET_RPC_SERVICES_SHARD_SERVICES_H_

// ShardServices are all services of a shard. A group serves the streams (streams/stream_group.h), and ShardServices
// every further method.
//
//   Streaming                       as bytes, by the StreamGroup
//   Sessions, Models, reflection    places and memory of a common UnaryHost
//   Health                          a separate UnaryHost: a probe is answered under any load
//   any unknown name                refused, and told in the answer
//
// Threading: the shard's thread only.

#include <memory>
#include <string>
#include <vector>

#include "grpc/health/v1/health.grpc.pb.h"
#include "grpcpp/generic/async_generic_service.h"
#include "grpcpp/server_builder.h"
#include "server/net/rpc/services/headers_first_service.h"
#include "server/net/rpc/services/health_service.h"
#include "server/net/rpc/services/unary_host.h"
#include "server/net/rpc/streams/stream_commons.h"
#include "server/sessions/models/model_table.h"
#include "server/sessions/registrar/registrar.h"

namespace aaren::rpc {

class ShardServices {
 public:
  // The arguments outlive the server.
  ShardServices(const models::ModelTable& models, registrar::Registrar& registrar);

  // Makes the builder's server know every service.
  void Register(grpc::ServerBuilder& builder);

  // Prepares to serve on `queue`, where `calls` are alive. `callers` may use Sessions and Models; everybody may probe.
  void Host(grpc::ServerCompletionQueue& queue, session::Mailbox& mailbox, int& calls, const StreamLimits& limits,
            const session::Clock& clock, const identity::Callers* callers);

  // Waits for calls. REQUIRES: hosted; the server has started.
  void Serve();

  // Accepts further calls, or refuses them from now on.
  void AcceptCalls(bool accept);

  // Tells probes whether the store answers: not if away for longer than `grace`.
  void LookAtStore(absl::Duration grace, absl::Time now);

  // The server leaves: probes are told, and unary calls refused.
  void Drain();

  // Ends calls after too long a wait for the client. The owner calls EndStale about every second.
  void EndStale();

  StreamingService& streaming() { return streaming_; }

 private:
  const models::ModelTable& models_;
  registrar::Registrar& registrar_;
  const std::vector<std::string> names_, names_that_need_store_;
  StreamingService streaming_;
  HeadersFirstService session_methods_, model_methods_, health_methods_, reflection_, old_reflection_;
  grpc::AsyncGenericService unknown_methods_;
  std::unique_ptr<UnaryHost> unary_, checks_;
  std::unique_ptr<HealthService> health_;
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_NET_RPC_SERVICES_SHARD_SERVICES_H_
