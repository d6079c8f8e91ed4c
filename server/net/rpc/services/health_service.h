#ifndef AAREN_SERVER_NET_RPC_SERVICES_HEALTH_SERVICE_H_
#define AAREN_SERVER_NET_RPC_SERVICES_HEALTH_SERVICE_H_

// Serves grpc.health.v1.Health on a shard's queue: Check at once, Watch until the client leaves.
//
//                                      serves                          leaves, for good
//    "", the server as a whole         SERVING                         NOT_SERVING
//    services that need no store       SERVING                         NOT_SERVING
//    services that need the store      while the store answers         NOT_SERVING
//
// A balancer asking for aaren.v1.Streaming sends new streams elsewhere while the store is away. A probe of
// "" that restarts servers leaves this server alone: sessions go on, and a restart would not mend the
// store.
//
// gRPC's own health service would bring a second thread polling beside the shard's (README.md has the price).
// Threading: the shard's thread only.

#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "server/net/rpc/services/unary_call.h"

namespace aaren::rpc {

class HealthService {
 public:
  // All arguments outlive the service. `services` and `need_store` are full names. Each of `need_store` is in
  // `services`.
  HealthService(HeadersFirstService& service, UnaryHost& host, std::vector<std::string> services,
                std::vector<std::string> need_store);

  void Serve();

  // Tells every watcher. The service begins serving.
  void SetServing(bool serving);
  void SetStoreServing(bool serving);

  // Ends the watches of clients that do not say which service to watch. Call it every second or so.
  void EndStale();

 private:
  class Watch;
  enum class Kind { kUnknown, kServes, kNeedsStore };

  Kind KindOf(const std::string& service) const;
  void Tell();
  void Check(const grpc::health::v1::HealthCheckRequest& request,
             Reply<grpc::health::v1::HealthCheckResponse> reply) const;
  grpc::health::v1::HealthCheckResponse::ServingStatus StatusOf(Kind kind) const;

  HeadersFirstService& service_;
  const int watch_;  // the index of the method
  UnaryHost& host_;
  const std::vector<std::string> services_, need_store_;
  absl::flat_hash_set<Watch*> watches_;
  CallPlaces places_;  // places for watches
  bool serving_ = true, store_serving_ = true;
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_NET_RPC_SERVICES_HEALTH_SERVICE_H_
