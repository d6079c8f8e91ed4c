#include "server/net/rpc/limits/connection_limits.h"

#include <algorithm>
#include <climits>

namespace aaren::rpc {
namespace {

constexpr int kReadBytes = 16 << 10;  // few frames a read: a shard's other connections wait meanwhile

}  // namespace

void SetConnections(const ConnectionLimits& limits, grpc::ServerBuilder& builder) {
  const auto limit = [&builder](const char* name, absl::Duration duration) {
    if (duration > absl::ZeroDuration()) {
      builder.AddChannelArgument(name,
                                 static_cast<int>(std::min<int64_t>(absl::ToInt64Milliseconds(duration), INT_MAX)));
    }
  };
  limit(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, limits.handshake);
  limit(GRPC_ARG_MAX_CONNECTION_IDLE_MS, limits.idle);
  limit(GRPC_ARG_MAX_CONNECTION_AGE_MS, limits.age);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_AGE_GRACE_MS, 60'000);
  // gRPC reads up to 4 MB at once, and then works through all of it, however small the frames are.
  builder.AddChannelArgument(GRPC_ARG_TCP_MAX_READ_CHUNK_SIZE, kReadBytes);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, static_cast<int>(kStreamsOfConnection));
  // The kernel probes for less (net/accept/acceptor.h): gRPC walks a timer of each connection every second.
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, INT_MAX);
  // gRPC 1.51 makes an error for each ping too many, at twenty microseconds, until gRPC has read all pings. An answer
  // costs next to nothing.
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PING_STRIKES, 0);
  // gRPC expands a message before it looks at the size: 4 MB may become 4 GB, on the shard's thread.
  builder.AddChannelArgument(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0);
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_GZIP, false);
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_DEFLATE, false);
}

}  // namespace aaren::rpc
