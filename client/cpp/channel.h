#ifndef AAREN_CLIENT_CPP_CHANNEL_H_
#define AAREN_CLIENT_CPP_CHANNEL_H_

// What a channel to a server is made with, and what goes along with every call on it: the same for streams and for
// unary calls. Threading: plain values and functions.

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/channel_arguments.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace aaren::client {

// Headers of a call, such as {"authorization", "Bearer …"}. Names are lower case; values printable ASCII, unless the
// name ends in -bin.
using Metadata = std::vector<std::pair<std::string, std::string>>;

struct ChannelOptions {
  // Null: plain text. See tls.h for TLS; for a token that expires, compose them with gRPC's call credentials.
  std::shared_ptr<grpc::ChannelCredentials> credentials = {};
  std::string server_name = {};                  // whose certificate the server must show; empty: the target's host
  Metadata metadata = {};                        // of every call
  absl::Duration keepalive = absl::Seconds(60);  // a silent connection is probed so often
  absl::Duration keepalive_timeout = absl::Seconds(20);  // and is broken if no answer comes for so long
  int max_message_bytes = -1;                            // received; -1: any
  std::string user_agent = {};                           // before gRPC's own
};

// INVALID_ARGUMENT, naming it, for metadata that cannot be sent.
absl::Status CheckChannel(const ChannelOptions& options);

grpc::ChannelArguments MakeArguments(const ChannelOptions& options);

// A channel with a connection of its own.
std::shared_ptr<grpc::Channel> MakeChannel(const std::string& target, const ChannelOptions& options);

// REQUIRES: CheckChannel was OK.
void AddMetadata(const ChannelOptions& options, grpc::ClientContext& context);

}  // namespace aaren::client

#endif  // AAREN_CLIENT_CPP_CHANNEL_H_
