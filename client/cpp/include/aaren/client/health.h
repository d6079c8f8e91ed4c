#ifndef AAREN_CLIENT_HEALTH_H_
#define AAREN_CLIENT_HEALTH_H_

// Health asks whether a server serves, by gRPC's own health protocol. A server that knows its callers still answers
// everybody.
//
//   Health health({.target = "localhost:7860"});
//   auto serves = health.Serves();                      // StatusOr<bool>; false: the server is leaving
//   auto streams = health.Serves("aaren.v1.Streaming");  // false as well while its store is away
//
// Threading: safe from any thread; calls block. Errors: NOT_FOUND for a service unknown to the server,
// DEADLINE_EXCEEDED without an answer in time, UNAVAILABLE without a server, INVALID_ARGUMENT for invalid
// options.

#include <memory>
#include <string>

#include "aaren/client/service.h"
#include "absl/status/statusor.h"

namespace aaren::client {

class Health {
 public:
  // Connects with the first call.
  explicit Health(ServiceOptions options);
  ~Health();
  Health(const Health&) = delete;
  Health& operator=(const Health&) = delete;

  // `service` is a full name; empty: the server as a whole.
  absl::StatusOr<bool> Serves(const std::string& service = "", const CallOptions& call = {}) const;

 private:
  class Calls;
  const std::unique_ptr<const Calls> calls_;
};

}  // namespace aaren::client

#endif  // AAREN_CLIENT_HEALTH_H_
