#ifndef AAREN_SERVER_RPC_SERVICES_HEALTH_SERVICE_H_
#define AAREN_SERVER_RPC_SERVICES_HEALTH_SERVICE_H_

// Serves grpc.health.v1.Health on a shard's queue: Check at once, Watch until the caller leaves. The server as a whole
// and each of its services share one state.
//
// gRPC's own health service would bring a second thread that polls beside the shard's (README.md says what that costs).
// Threading: the shard's thread only.

#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "server/rpc/services/unary_call.h"
#include "server/rpc/shares.h"

namespace aaren::rpc {

class HealthService {
 public:
  using Async = grpc::health::v1::Health::AsyncService;

  // Everything passed in outlives this. `services` are full names.
  HealthService(Async& async, UnaryHost& host, std::vector<std::string> services);

  void Serve();

  // Tells every watcher. Serving is what it begins with.
  void SetServing(bool serving);

 private:
  class Watch;

  bool Knows(const std::string& service) const;
  void Check(const grpc::health::v1::HealthCheckRequest& request,
             UnaryCall<grpc::health::v1::HealthCheckRequest, grpc::health::v1::HealthCheckResponse>::Reply reply) const;
  grpc::health::v1::HealthCheckResponse::ServingStatus StatusOf(bool known) const;

  Async& async_;
  UnaryHost& host_;
  const std::vector<std::string> services_;
  absl::flat_hash_set<Watch*> watches_;
  Shares shares_;  // of the watches
  bool serving_ = true;
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_RPC_SERVICES_HEALTH_SERVICE_H_
