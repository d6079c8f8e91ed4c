#include "server/net/rpc/services/headers_first_service.h"

#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "grpcpp/support/slice.h"
#include "server/operate/log/log.h"

namespace aaren::rpc {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::MethodDescriptor;
using grpc::internal::RpcMethod;
using grpc::internal::RpcServiceMethod;

}  // namespace

absl::Status ParseRequest(const grpc::ByteBuffer& bytes, const ParseBounds& bounds,
                          google::protobuf::Message& request) {
  // A message beyond the bound is not even copied into one piece.
  if (bytes.Length() > bounds.bytes) return BeyondBounds(request, bounds);
  grpc::Slice whole;
  if (!bytes.TrySingleSlice(&whole).ok() && !bytes.DumpToSingleSlice(&whole).ok()) {
    return absl::InvalidArgumentError(absl::StrCat("malformed ", request.GetTypeName()));
  }
  return ParseBounded({reinterpret_cast<const char*>(whole.begin()), whole.size()}, bounds, request);
}

HeadersFirstService::HeadersFirstService(const std::string& full_name)
    : service_(*google::protobuf::DescriptorPool::generated_pool()->FindServiceByName(full_name)) {
  for (int i = 0; i < service_.method_count(); ++i) {
    paths_.push_back(absl::StrCat("/", full_name, "/", service_.method(i)->name()));
  }
  // Otherwise gRPC waits for the message of unary methods and of methods streaming replies only.
  for (int i = 0; i < service_.method_count(); ++i) {
    const bool replies = service_.method(i)->server_streaming();  // however many messages the method takes
    AddMethod(new RpcServiceMethod(paths_[static_cast<size_t>(i)].c_str(),
                                   replies ? RpcMethod::BIDI_STREAMING : RpcMethod::CLIENT_STREAMING, nullptr));
    MarkMethodAsync(i);
  }
}

int HeadersFirstService::Find(absl::string_view name, const Descriptor& request, const Descriptor& response) const {
  const MethodDescriptor* method = service_.FindMethodByName(std::string(name));
  if (method != nullptr && method->input_type() == &request && method->output_type() == &response) {
    return method->index();
  }
  log::Log(log::LogLevel::kError, "no such method", {{"service", service_.full_name()}, {"method", std::string(name)}});
  std::abort();
}

}  // namespace aaren::rpc
