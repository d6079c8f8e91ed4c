#ifndef AAREN_CLIENT_SERVICE_H_
#define AAREN_CLIENT_SERVICE_H_

// How the services Sessions, Models, Health and Admin are called: a question, an answer. Threading: plain values.

#include <optional>
#include <string>

#include "aaren/client/channel.h"
#include "absl/time/time.h"

namespace aaren::client {

// The server of a Sessions, Models, Health or Admin.
struct ServiceOptions {
  std::string target = {};  // "host:port" or any gRPC target
  ChannelOptions channel = {};
  absl::Duration timeout = absl::Seconds(30);  // for a call without its own deadline, connecting included
};

struct CallOptions {
  std::optional<absl::Time> deadline = {};  // absent: the service's timeout from now on
};

}  // namespace aaren::client

#endif  // AAREN_CLIENT_SERVICE_H_
