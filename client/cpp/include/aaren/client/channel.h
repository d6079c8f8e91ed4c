#ifndef AAREN_CLIENT_CHANNEL_H_
#define AAREN_CLIENT_CHANNEL_H_

// Options of a connection to a server and of every call on the connection, for streams and for unary calls. Threading:
// plain values; a MetadataSource is called by any thread that makes a call.

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace aaren::client {

// Headers of a call, such as {"authorization", "Bearer …"}. Names are lower case; values printable ASCII, unless the
// name ends in -bin.
using Metadata = std::vector<std::pair<std::string, std::string>>;

// Headers that change, such as a token that expires: asked before every call, also before a stream's next call after a
// break. An error is the call's status, and streams treat the status like a status from the server.
using MetadataSource = std::function<absl::StatusOr<Metadata>()>;

// How both sides prove their identity; by default plain text. See tls.h.
class Credentials {
 public:
  class Made;  // the library's own

  Credentials() = default;
  explicit Credentials(std::shared_ptr<const Made> made) : made_(std::move(made)) {}
  const std::shared_ptr<const Made>& made() const { return made_; }

 private:
  std::shared_ptr<const Made> made_;
};

struct ChannelOptions {
  Credentials credentials = {};
  std::string server_name = {};                  // the name in the server's certificate; empty: the target's host
  Metadata metadata = {};                        // for every call
  MetadataSource metadata_source = {};           // … and further headers; null: none
  absl::Duration keepalive = absl::Seconds(60);  // the pause before a silent connection is probed
  absl::Duration keepalive_timeout = absl::Seconds(20);  // without an answer for this time the connection is broken
  // The largest message received; a larger message ends its call with RESOURCE_EXHAUSTED. Servers send less than 4 MiB,
  // but for snapshots of thousands of channels. -1: any, for servers trusted with this process's memory.
  int max_message_bytes = 256 << 20;
  std::string user_agent = {};  // before gRPC's own
};

// INVALID_ARGUMENT, naming the header, for illegal metadata.
absl::Status CheckChannel(const ChannelOptions& options);

}  // namespace aaren::client

#endif  // AAREN_CLIENT_CHANNEL_H_
