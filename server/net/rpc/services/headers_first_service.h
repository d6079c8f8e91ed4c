#ifndef AAREN_SERVER_NET_RPC_SERVICES_HEADERS_FIRST_SERVICE_H_
#define AAREN_SERVER_NET_RPC_SERVICES_HEADERS_FIRST_SERVICE_H_

// A HeadersFirstService serves a proto service. gRPC would keep a call of a method with one request message to itself
// until the message has come, and for ever if none comes: nobody could count or end the call. Here each call begins
// with its headers, and the server reads the message. On the wire nothing differs.
//
// Threading: as for generated services.

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"
#include "grpcpp/impl/service_type.h"
#include "grpcpp/server_builder.h"
#include "grpcpp/server_context.h"
#include "grpcpp/support/async_stream.h"
#include "grpcpp/support/byte_buffer.h"
#include "server/net/rpc/messages/bounded_parse.h"

namespace aaren::rpc {

// The request of a probe: the name of a service or of a symbol.
inline constexpr ParseBounds kProbeRequest{.bytes = 512, .fields = 32};

// Parses the bytes as a message within the bounds; the status is ParseBounded's (messages/bounded_parse.h).
absl::Status ParseRequest(const grpc::ByteBuffer& bytes, const ParseBounds& bounds, google::protobuf::Message& request);

class HeadersFirstService : public grpc::Service {
 public:
  // `full_name`: the full name of a service whose generated code is linked in.
  explicit HeadersFirstService(const std::string& full_name);

  // The index of the method with this name. REQUIRES: the method takes a Request, and gives a Response.
  template <typename Request, typename Response>
  int Find(absl::string_view name) const {
    return Find(name, *Request::descriptor(), *Response::descriptor());
  }

  // Waits for a call of a method with one reply message. Requests are read as bytes: of a malformed typed request gRPC
  // says only that the request is missing.
  template <typename Response>
  void Wait(int method, grpc::ServerContext& context, grpc::ServerAsyncReader<Response, grpc::ByteBuffer>& call,
            grpc::ServerCompletionQueue& queue, void* tag) {
    RequestAsyncClientStreaming(method, &context, &call, &queue, &queue, tag);
  }

  // Waits for a call of a method with many reply messages.
  template <typename Response>
  void Wait(int method, grpc::ServerContext& context, grpc::ServerAsyncReaderWriter<Response, grpc::ByteBuffer>& call,
            grpc::ServerCompletionQueue& queue, void* tag) {
    RequestAsyncBidiStreaming(method, &context, &call, &queue, &queue, tag);
  }

 private:
  int Find(absl::string_view name, const google::protobuf::Descriptor& request,
           const google::protobuf::Descriptor& response) const;

  const google::protobuf::ServiceDescriptor& service_;
  std::vector<std::string> paths_;  // the methods' paths; gRPC keeps pointers to the strings
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_NET_RPC_SERVICES_HEADERS_FIRST_SERVICE_H_
