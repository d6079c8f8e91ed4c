#include "server/rpc/services/reflection_service.h"

#include <list>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/descriptor.pb.h"
#include "server/rpc/event.h"

namespace aaren::rpc {
namespace {

using google::protobuf::DescriptorPool;
using google::protobuf::FieldDescriptor;
using google::protobuf::FileDescriptor;
using grpc::reflection::v1alpha::ServerReflectionRequest;
using grpc::reflection::v1alpha::ServerReflectionResponse;

const DescriptorPool& Pool() { return *DescriptorPool::generated_pool(); }

void FillError(const std::string& what, ServerReflectionResponse& response) {
  response.mutable_error_response()->set_error_code(grpc::StatusCode::NOT_FOUND);
  response.mutable_error_response()->set_error_message(absl::StrCat("not found: ", what));
}

// The file, then everything it imports, each once.
void AddFile(const FileDescriptor& file, std::set<const FileDescriptor*>& added, ServerReflectionResponse& response) {
  if (!added.insert(&file).second) return;
  google::protobuf::FileDescriptorProto proto;
  file.CopyTo(&proto);
  proto.SerializeToString(response.mutable_file_descriptor_response()->add_file_descriptor_proto());
  for (int i = 0; i < file.dependency_count(); ++i) AddFile(*file.dependency(i), added, response);
}

void FillFile(const FileDescriptor* file, const std::string& asked, ServerReflectionResponse& response) {
  if (file == nullptr) return FillError(asked, response);
  std::set<const FileDescriptor*> added;
  AddFile(*file, added, response);
}

const FileDescriptor* FileOfExtension(const std::string& type, int number) {
  const auto* message = Pool().FindMessageTypeByName(type);
  const FieldDescriptor* extension = message == nullptr ? nullptr : Pool().FindExtensionByNumber(message, number);
  return extension == nullptr ? nullptr : extension->file();
}

void FillExtensionNumbers(const std::string& type, ServerReflectionResponse& response) {
  const auto* message = Pool().FindMessageTypeByName(type);
  if (message == nullptr) return FillError(type, response);
  std::vector<const FieldDescriptor*> extensions;
  Pool().FindAllExtensions(message, &extensions);
  response.mutable_all_extension_numbers_response()->set_base_type_name(type);
  for (const FieldDescriptor* extension : extensions) {
    response.mutable_all_extension_numbers_response()->add_extension_number(extension->number());
  }
}

// One call: answers a request before it reads the next, ends with OK when the caller half-closes.
class ReflectionCall {
 public:
  ReflectionCall(ReflectionAsync& service, UnaryHost& host, const std::vector<std::string>& services)
      : service_(service), host_(host), services_(services), count_(host.calls), io_(&context_) {
    service_.RequestServerReflectionInfo(&context_, &io_, &host_.queue, &host_.queue, &accepted_);
  }

 private:
  void OnAccepted(bool ok) {
    if (!ok) return delete this;  // the server has shut down
    new ReflectionCall(service_, host_, services_);
    const std::string peer = context_.peer();
    place_ = host_.reflections.Take(peer, [this] { context_.TryCancel(); });
    if (!place_.taken()) {
      host_.NoteVain(peer);
      return Refuse("too many calls of reflection are open here");
    }
    Read();
  }

  // A client that asks nothing, or does not take the answer, is given up like those of unary calls.
  void Read() {
    place_.BeginWaiting();
    io_.Read(&request_, &read_);
  }

  void OnRead(bool ok) {
    place_.EndWaiting();
    if (!ok) return io_.Finish(grpc::Status::OK, &finished_);
    if (request_.ByteSizeLong() > kMostBytes) return Refuse("the request is longer than any name could make it");
    place_.BeginWaiting();
    io_.Write(Reflect(request_, services_), &written_);
  }

  void OnWritten(bool ok) {
    place_.EndWaiting();
    if (!ok) return io_.Finish(grpc::Status::CANCELLED, &finished_);
    Read();
  }

  void OnFinished(bool) { delete this; }

  void Refuse(const char* why) {
    io_.Finish(ToGrpcStatus(session::OverQuota("reflection", why, absl::ZeroDuration())), &finished_);
  }

  static constexpr size_t kMostBytes = 4096;  // of a request

  ReflectionAsync& service_;
  UnaryHost& host_;
  const std::vector<std::string>& services_;
  CallCount count_;
  grpc::ServerContext context_;
  grpc::ServerAsyncReaderWriter<ServerReflectionResponse, ServerReflectionRequest> io_;
  ServerReflectionRequest request_;
  CallPlaces::Place place_;  // after context_
  CallEvent<ReflectionCall> accepted_{this, &ReflectionCall::OnAccepted}, read_{this, &ReflectionCall::OnRead},
      written_{this, &ReflectionCall::OnWritten}, finished_{this, &ReflectionCall::OnFinished};
};

}  // namespace

ServerReflectionResponse Reflect(const ServerReflectionRequest& request, const std::vector<std::string>& services) {
  ServerReflectionResponse response;
  response.set_valid_host(request.host());
  *response.mutable_original_request() = request;
  switch (request.message_request_case()) {
    case ServerReflectionRequest::kFileByFilename:
      FillFile(Pool().FindFileByName(request.file_by_filename()), request.file_by_filename(), response);
      break;
    case ServerReflectionRequest::kFileContainingSymbol:
      FillFile(Pool().FindFileContainingSymbol(request.file_containing_symbol()), request.file_containing_symbol(),
               response);
      break;
    case ServerReflectionRequest::kFileContainingExtension: {
      const auto& extension = request.file_containing_extension();
      FillFile(FileOfExtension(extension.containing_type(), extension.extension_number()),
               absl::StrCat(extension.containing_type(), " ", extension.extension_number()), response);
      break;
    }
    case ServerReflectionRequest::kAllExtensionNumbersOfType:
      FillExtensionNumbers(request.all_extension_numbers_of_type(), response);
      break;
    case ServerReflectionRequest::kListServices:
      for (const std::string& name : services) response.mutable_list_services_response()->add_service()->set_name(name);
      break;
    case ServerReflectionRequest::MESSAGE_REQUEST_NOT_SET:
      response.mutable_error_response()->set_error_code(grpc::StatusCode::INVALID_ARGUMENT);
      response.mutable_error_response()->set_error_message("the request is empty");
      break;
  }
  return response;
}

void ServeReflection(ReflectionAsync& service, UnaryHost& host, const std::vector<std::string>& services) {
  new ReflectionCall(service, host, services);
}

}  // namespace aaren::rpc
