#ifndef AAREN_CLIENT_CHANNEL_H_
#define AAREN_CLIENT_CHANNEL_H_

// What a connection to a server is made with, and what goes along with every call on it: the same for streams and for
// unary calls. Threading: plain values; a MetadataSource is called by any thread that makes a call.

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

// Headers that change, such as a token that expires: asked before every call, a stream's after a break included. An
// error is the call's status, and what streams do about it follows from its code, as if the server had said it.
using MetadataSource = std::function<absl::StatusOr<Metadata>()>;

// How the two sides show who they are; a default one is plain text. See tls.h.
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
  std::string server_name = {};                  // whose certificate the server must show; empty: the target's host
  Metadata metadata = {};                        // of every call
  MetadataSource metadata_source = {};           // … and more of it; null: none
  absl::Duration keepalive = absl::Seconds(60);  // a silent connection is probed so often
  absl::Duration keepalive_timeout = absl::Seconds(20);  // and is broken if no answer comes for so long
  // Received; a larger one ends its call with RESOURCE_EXHAUSTED. Servers send less than 4 MiB, but for snapshots of
  // thousands of channels. -1: any, for servers that are trusted with this process's memory.
  int max_message_bytes = 256 << 20;
  std::string user_agent = {};  // before gRPC's own
};

// INVALID_ARGUMENT, naming it, for metadata that cannot be sent.
absl::Status CheckChannel(const ChannelOptions& options);

}  // namespace aaren::client

#endif  // AAREN_CLIENT_CHANNEL_H_
