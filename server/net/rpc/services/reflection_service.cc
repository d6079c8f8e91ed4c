#include "server/net/rpc/services/reflection_service.h"

#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/descriptor.pb.h"
#include "server/net/rpc/event.h"
#include "server/net/rpc/operations.h"

namespace aaren::rpc {
namespace {

using google::protobuf::DescriptorPool;
using google::protobuf::FieldDescriptor;
using google::protobuf::FileDescriptor;
using grpc::reflection::v1alpha::ServerReflectionRequest;
using grpc::reflection::v1alpha::ServerReflectionResponse;

constexpr int kServerReflectionInfo = 0;  // the only method of either version

const DescriptorPool& Pool() { return *DescriptorPool::generated_pool(); }

void FillError(const std::string& what, ServerReflectionResponse& response) {
  response.mutable_error_response()->set_error_code(grpc::StatusCode::NOT_FOUND);
  response.mutable_error_response()->set_error_message(absl::StrCat("not found: ", what));
}

// Adds the file, then every imported file, each once.
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

// One call: answers a request before reading the next, and ends with OK when the client half-closes. A call without a
// request, or with an answer not taken, is given up like a unary call.
class ReflectionCall {
 public:
  ReflectionCall(HeadersFirstService& service, UnaryHost& host, const std::vector<std::string>& services)
      : service_(service), host_(host), services_(services), count_(host.calls), io_(&context_) {
    service_.Wait(kServerReflectionInfo, context_, io_, host_.queue, &accepted_);
  }

 private:
  void OnAccepted(bool ok) {
    if (!ok) return delete this;  // the server has shut down
    host_.last_words.WhenFew(
        [&service = service_, &host = host_, &services = services_] { new ReflectionCall(service, host, services); });
    place_ = host_.reflections.Take(context_.peer(), [this](CallPlaces::Why why) { GiveUp(why); });
    if (!place_.taken()) return Finish(TooMany("too many calls of reflection are open here"));
    Read();
  }

  void Read() {
    place_.BeginWaiting();
    operations_.Begin(Operations::kRead);
    io_.Read(&received_, &read_);
  }

  void OnRead(bool ok) {
    operations_.End(Operations::kRead);
    grpc::ByteBuffer received;  // freed when the function returns, in any case
    received.Swap(&received_);
    if (finishing_) return DeleteIfDone();
    place_.EndWaiting();
    if (!ok) return Finish(grpc::Status::OK);
    ServerReflectionRequest request;
    if (const absl::Status parsed = ParseRequest(received, kProbeRequest, request); !parsed.ok()) {
      return Finish(ToGrpcStatus(session::PlainRefusal(parsed)));
    }
    place_.BeginWaiting();
    operations_.Begin(Operations::kWrite);
    io_.Write(Reflect(request, services_), &written_);
  }

  void OnWritten(bool ok) {
    operations_.End(Operations::kWrite);
    place_.EndWaiting();
    if (!ok) return Finish(grpc::Status::CANCELLED);
    Read();
  }

  // The call has lost its place.
  void GiveUp(CallPlaces::Why why) {
    if (operations_.has(Operations::kWrite)) return context_.TryCancel();  // the client does not take the answer
    Finish(why == CallPlaces::Why::kStale ? grpc::Status(grpc::StatusCode::DEADLINE_EXCEEDED, "no request has come")
                                          : TooMany("too many calls of reflection are open here"));
  }

  static grpc::Status TooMany(const char* why) {
    return ToGrpcStatus(session::OverQuota("reflection", why, absl::ZeroDuration()));
  }

  void Finish(const grpc::Status& status) {
    finishing_ = true;
    place_ = {};
    host_.last_words.Begin(last_word_, [this] { context_.TryCancel(); });
    io_.Finish(status, &finished_);
  }

  void OnFinished(bool) {
    operations_.End(Operations::kFinish);
    DeleteIfDone();
  }

  void DeleteIfDone() {
    if (operations_.none()) delete this;
  }

  HeadersFirstService& service_;
  UnaryHost& host_;
  const std::vector<std::string>& services_;
  CallCount count_;
  grpc::ServerContext context_;
  grpc::ServerAsyncReaderWriter<ServerReflectionResponse, grpc::ByteBuffer> io_;
  grpc::ByteBuffer received_;
  CallPlaces::Place place_;  // place_ and last_word_ after context_
  LastWords::Word last_word_;
  Operations operations_{Operations::kFinish};
  bool finishing_ = false;
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

void ServeReflection(HeadersFirstService& service, UnaryHost& host, const std::vector<std::string>& services) {
  new ReflectionCall(service, host, services);
}

}  // namespace aaren::rpc
