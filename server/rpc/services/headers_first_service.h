#ifndef AAREN_SERVER_RPC_SERVICES_HEADERS_FIRST_SERVICE_H_
#define AAREN_SERVER_RPC_SERVICES_HEADERS_FIRST_SERVICE_H_

// A HeadersFirstService serves a proto service. gRPC would keep a call of a method that takes one message to itself
// until that has come, and one whose message never comes for ever: nobody counts it, and nobody can end it. Here each
// call begins with its headers, and the message is read. On the wire nothing differs.
//
// Threading: as of the generated services.

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
#include "server/rpc/messages/bounded_parse.h"

namespace aaren::rpc {

// The request of a probe: the name of a service or of a symbol.
inline constexpr ParseBounds kProbeRequest{.bytes = 512, .fields = 32};

// The bytes as a message, within the bounds; the status as ParseBounded has it (messages/bounded_parse.h).
absl::Status ParseRequest(const grpc::ByteBuffer& bytes, const ParseBounds& bounds, google::protobuf::Message& request);

class HeadersFirstService : public grpc::Service {
 public:
  // By its full name; its generated code is linked in.
  explicit HeadersFirstService(const std::string& full_name);

  // Which of its methods has this name. REQUIRES: one that takes a Request, and gives a Response.
  template <typename Request, typename Response>
  int Find(absl::string_view name) const {
    return Find(name, *Request::descriptor(), *Response::descriptor());
  }

  // Waits for a call of a method that gives one message. Requests are read as bytes: of a typed one that is malformed
  // gRPC says only that there is none.
  template <typename Response>
  void Wait(int method, grpc::ServerContext& context, grpc::ServerAsyncReader<Response, grpc::ByteBuffer>& call,
            grpc::ServerCompletionQueue& queue, void* tag) {
    RequestAsyncClientStreaming(method, &context, &call, &queue, &queue, tag);
  }

  // … that gives many.
  template <typename Response>
  void Wait(int method, grpc::ServerContext& context, grpc::ServerAsyncReaderWriter<Response, grpc::ByteBuffer>& call,
            grpc::ServerCompletionQueue& queue, void* tag) {
    RequestAsyncBidiStreaming(method, &context, &call, &queue, &queue, tag);
  }

 private:
  int Find(absl::string_view name, const google::protobuf::Descriptor& request,
           const google::protobuf::Descriptor& response) const;

  const google::protobuf::ServiceDescriptor& service_;
  std::vector<std::string> paths_;  // of the methods: gRPC keeps pointers to them
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_RPC_SERVICES_HEADERS_FIRST_SERVICE_H_
