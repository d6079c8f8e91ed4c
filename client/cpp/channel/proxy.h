#ifndef AAREN_CLIENT_CPP_CHANNEL_PROXY_H_
#define AAREN_CLIENT_CPP_CHANNEL_PROXY_H_

// The HTTP proxy between this program and a server. gRPC goes through the proxy of the first set variable among
// grpc_proxy, https_proxy and http_proxy. gRPC's own exceptions are few, hence the client decides, and tells gRPC:
//
// - A server on this machine is never asked through a proxy.
// - Exceptions stand in the first of no_grpc_proxy, no_proxy and NO_PROXY that is not empty: a list of `*`, hosts, ends
//   of hosts' names, addresses, and networks like 10.0.0.0/8 or fd00::/8. A network has addresses and no names: the
//   proxy looks up names.
//
// An error of a call through a proxy names the proxy. Threading: functions; they read the environment.

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace aaren::client {

struct Proxy {
  std::string variable;  // the environment's, such as "http_proxy"
  std::string address;   // HOST:PORT, without the password that may stand before
};

// The proxy before a target; nothing if gRPC has to connect by itself.
std::optional<Proxy> FindProxy(absl::string_view target);

// Adds the proxy's name to an UNAVAILABLE of a target behind a proxy. Any other status stays unchanged.
absl::Status NameProxy(const absl::Status& status, absl::string_view target);

}  // namespace aaren::client

#endif  // AAREN_CLIENT_CPP_CHANNEL_PROXY_H_
