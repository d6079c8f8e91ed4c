#ifndef AAREN_SERVER_PROGRAM_TRACING_H_
#define AAREN_SERVER_PROGRAM_TRACING_H_

// Tracing from the settings: the buffer for the shards' spans, and the exporter. Threading: one thread.

#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/net/rpc/server.h"
#include "server/operate/trace/export/exporter.h"
#include "server/operate/trace/span_buffer.h"
#include "server/program/config/config.h"

namespace aaren::program {

class Tracing {
 public:
  // Null if nothing is to be traced. InvalidArgument if trace_ca cannot be read.
  static absl::StatusOr<std::unique_ptr<Tracing>> Open(const config::ServerConfig& config);

  // Adds tracing to the options of a server. The Tracing outlives the server.
  void SetUp(rpc::ServerOptions& options);

  // Begins to send, in the name of a server listening on `port`.
  void Start(int port);

  // Sends the remaining spans, and gives up after half of `left` or a second.
  void Stop(absl::Duration left);

  const trace::Exporter& exporter() const { return *exporter_; }  // REQUIRES: Start was called

 private:
  Tracing(const config::ServerConfig& config, std::shared_ptr<grpc::ChannelCredentials> credentials)
      : config_(config), credentials_(std::move(credentials)) {}

  const config::ServerConfig config_;
  const std::shared_ptr<grpc::ChannelCredentials> credentials_;
  trace::SpanBuffer spans_;
  std::optional<trace::Exporter> exporter_;
};

}  // namespace aaren::program

#endif  // AAREN_SERVER_PROGRAM_TRACING_H_
