#ifndef AAREN_CLIENT_CPP_CHANNEL_PROXY_H_
#define AAREN_CLIENT_CPP_CHANNEL_PROXY_H_

// gRPC goes through the proxy that the environment names (grpc_proxy, https_proxy or http_proxy), unless no_proxy has
// the target's host. Nobody means that for a server on the same machine, and an error has to say that there was a proxy
// in between. Threading: functions; they read the environment.

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace aaren::client {

// True if a target's host is this machine: 127.0.0.0/8, ::1, localhost, a socket of this machine.
bool IsLoopback(absl::string_view target);

// The variable whose proxy stands before a target, such as "http_proxy"; empty if none does.
std::string ProxyVariable(absl::string_view target);

// An UNAVAILABLE of a target behind a proxy names the proxy's variable. Any other status stays as it is.
absl::Status NameProxy(const absl::Status& status, absl::string_view target);

}  // namespace aaren::client

#endif  // AAREN_CLIENT_CPP_CHANNEL_PROXY_H_
