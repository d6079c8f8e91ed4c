#include "client/cpp/channel/channel.h"

#include <grpc/grpc.h>
#include <grpc/slice.h>
#include <grpcpp/create_channel.h>

#include <algorithm>
#include <limits>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/cpp/channel/proxy.h"

namespace aaren::client {
namespace {

// gRPC's own way to avoid a leaving server. gRPC then connects to every address and watches the health of each: only
// for clients with a reason.
constexpr char kServingOnly[] =
    R"({"loadBalancingConfig": [{"round_robin": {}}], "healthCheckConfig": {"serviceName": ""}})";

int Millis(absl::Duration duration) {
  const int64_t millis = absl::ToInt64Milliseconds(duration);
  // gRPC takes an int: an endless duration becomes the largest.
  return static_cast<int>(std::clamp<int64_t>(millis, 0, std::numeric_limits<int>::max()));
}

// gRPC ends the process over an illegal header.
bool IsLegal(const std::string& name, const std::string& value) {
  const grpc_slice key = grpc_slice_from_copied_buffer(name.data(), name.size());
  const grpc_slice text = grpc_slice_from_copied_buffer(value.data(), value.size());
  // Names that begin with grpc- belong to gRPC.
  const bool legal = grpc_header_key_is_legal(key) != 0 && !absl::StartsWith(name, "grpc-") &&
                     (grpc_is_binary_header(key) != 0 || grpc_header_nonbin_value_is_legal(text) != 0);
  grpc_slice_unref(key);
  grpc_slice_unref(text);
  return legal;
}

absl::Status CheckMetadata(const Metadata& metadata) {
  for (const auto& [name, value] : metadata) {
    if (IsLegal(name, value)) continue;
    // The value may be a secret.
    return absl::InvalidArgumentError(
        absl::StrCat("metadata \"", name, "\" cannot be sent: a lower-case name and a printable value are expected"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckChannel(const ChannelOptions& options) { return CheckMetadata(options.metadata); }

absl::StatusOr<Metadata> CallMetadata(const ChannelOptions& options) {
  Metadata metadata = options.metadata;
  if (options.metadata_source) {
    absl::StatusOr<Metadata> now = options.metadata_source();
    if (!now.ok()) return now;
    metadata.insert(metadata.end(), now->begin(), now->end());
  }
  // The source may give an illegal header at any call.
  const absl::Status valid = CheckMetadata(metadata);
  if (!valid.ok()) return valid;
  return metadata;
}

grpc::ChannelArguments MakeArguments(const ChannelOptions& options) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(options.max_message_bytes);
  arguments.SetMaxSendMessageSize(-1);
  // A compressed message could become a thousand times as large, behind the limit.
  arguments.SetInt(GRPC_COMPRESSION_CHANNEL_ENABLED_ALGORITHMS_BITSET, 1 << GRPC_COMPRESS_NONE);
  // gRPC shares connections between equal channels, with one backoff for all: each stream is to have its own.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, Millis(options.keepalive));
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, Millis(options.keepalive_timeout));
  if (!options.user_agent.empty()) arguments.SetUserAgentPrefix(options.user_agent);
  if (!options.server_name.empty()) arguments.SetSslTargetNameOverride(options.server_name);
  return arguments;
}

std::shared_ptr<grpc::Channel> MakeChannel(const std::string& target, const ChannelOptions& options, Among among) {
  const auto& made = options.credentials.made();
  const auto credentials = made ? made->grpc() : grpc::InsecureChannelCredentials();
  grpc::ChannelArguments arguments = MakeArguments(options);
  // gRPC knows few exceptions: proxy.h has the rules.
  if (!FindProxy(target)) arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  if (among == Among::kServing) arguments.SetServiceConfigJSON(kServingOnly);
  return grpc::CreateCustomChannel(target, credentials, arguments);
}

void AddMetadata(const Metadata& metadata, grpc::ClientContext& context) {
  for (const auto& [name, value] : metadata) context.AddMetadata(name, value);
}

}  // namespace aaren::client
