#ifndef AAREN_CLIENT_CPP_CHANNEL_CHANNEL_H_
#define AAREN_CLIENT_CPP_CHANNEL_CHANNEL_H_

// ChannelOptions turned into what gRPC takes. Threading: functions.

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

// Which of a target's addresses a channel goes to.
enum class Among {
  kReachable,  // the first that takes a connection
  kServing,    // one whose health service says SERVING, or that has none: never one that is leaving
};

// A channel with connections of its own.
std::shared_ptr<grpc::Channel> MakeChannel(const std::string& target, const ChannelOptions& options,
                                           Among among = Among::kReachable);

// The headers of the next call: those that are fixed, and what the source says now. INVALID_ARGUMENT, naming it, for
// one that cannot be sent; else the source's error.
absl::StatusOr<Metadata> CallMetadata(const ChannelOptions& options);

// REQUIRES: CallMetadata returned it.
void AddMetadata(const Metadata& metadata, grpc::ClientContext& context);

}  // namespace aaren::client

#endif  // AAREN_CLIENT_CPP_CHANNEL_CHANNEL_H_
