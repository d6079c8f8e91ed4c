#ifndef AAREN_CLIENT_CPP_CHANNEL_CHANNEL_H_
#define AAREN_CLIENT_CPP_CHANNEL_CHANNEL_H_

// Turns ChannelOptions into gRPC's types. Threading: functions.

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/channel_arguments.h>

#include <memory>
#include <string>

#include "aaren/client/channel.h"
#include "absl/status/statusor.h"

namespace aaren::client {

class Credentials::Made {
 public:
  explicit Made(std::shared_ptr<grpc::ChannelCredentials> credentials) : credentials_(std::move(credentials)) {}
  const std::shared_ptr<grpc::ChannelCredentials>& grpc() const { return credentials_; }

 private:
  std::shared_ptr<grpc::ChannelCredentials> credentials_;
};

grpc::ChannelArguments MakeArguments(const ChannelOptions& options);

// The choice among a target's addresses.
enum class Among {
  kReachable,  // the first address with a connection
  kServing,    // an address whose health service says SERVING, or without a health service: never a leaving server
};

// A channel with connections of its own.
std::shared_ptr<grpc::Channel> MakeChannel(const std::string& target, const ChannelOptions& options,
                                           Among among = Among::kReachable);

// The headers of the next call: fixed headers, and the source's present headers. INVALID_ARGUMENT, naming the header,
// for an illegal header; else the source's error.
absl::StatusOr<Metadata> CallMetadata(const ChannelOptions& options);

// REQUIRES: CallMetadata returned `metadata`.
void AddMetadata(const Metadata& metadata, grpc::ClientContext& context);

}  // namespace aaren::client

#endif  // AAREN_CLIENT_CPP_CHANNEL_CHANNEL_H_
