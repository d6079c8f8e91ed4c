#include "server/net/rpc/services/reflection_service.h"

#include <gmock/gmock.h>

#include "google/protobuf/descriptor.pb.h"
#include "grpc/reflection/v1/reflection.grpc.pb.h"
#include "grpc/reflection/v1alpha/reflection.grpc.pb.h"
#include "tests/server/net/rpc/serving/serving.h"

namespace aaren::rpc {
namespace {

using grpc::reflection::v1alpha::ServerReflection;
using grpc::reflection::v1alpha::ServerReflectionRequest;
using grpc::reflection::v1alpha::ServerReflectionResponse;

ServerReflectionResponse AnswerTo(const ServerReflectionRequest& request) { return rpc::Reflect(request, {}); }

TEST(ReflectTest, FileOfASymbolComesWithAllItImports) {
  ServerReflectionRequest request;
  request.set_file_containing_symbol("aaren.v1.Streaming");
  std::vector<std::string> names;
  const ServerReflectionResponse response = AnswerTo(request);
  for (const std::string& bytes : response.file_descriptor_response().file_descriptor_proto()) {
    google::protobuf::FileDescriptorProto file;
    ASSERT_TRUE(file.ParseFromString(bytes));
    names.push_back(file.name());
  }
  EXPECT_THAT(names,
              testing::ElementsAre("aaren/v1/stream.proto", "google/rpc/status.proto", "google/protobuf/any.proto"));
}

TEST(ReflectTest, FileByName) {
  ServerReflectionRequest request;
  request.set_file_by_filename("aaren/v1/sessions.proto");
  EXPECT_EQ(AnswerTo(request).file_descriptor_response().file_descriptor_proto_size(), 1);
}

TEST(ReflectTest, UnknownNamesAreNotFoundByName) {
  ServerReflectionRequest symbol, file, extension, type;
  symbol.set_file_containing_symbol("no.Such");
  file.set_file_by_filename("no/such.proto");
  extension.mutable_file_containing_extension()->set_containing_type("aaren.v1.Open");
  type.set_all_extension_numbers_of_type("no.Such");
  for (const ServerReflectionRequest& request : {symbol, file, extension, type}) {
    EXPECT_EQ(AnswerTo(request).error_response().error_code(), grpc::StatusCode::NOT_FOUND);
  }
  EXPECT_THAT(AnswerTo(symbol).error_response().error_message(), testing::HasSubstr("no.Such"));
}

TEST(ReflectTest, EmptyRequestIsInvalid) {
  EXPECT_EQ(AnswerTo({}).error_response().error_code(), grpc::StatusCode::INVALID_ARGUMENT);
}

class ReflectionServiceTest : public Serving {};

// The names of the services that a call lists.
template <typename Service, typename Request, typename Response>
std::vector<std::string> Listed(const std::shared_ptr<grpc::Channel>& channel) {
  const auto stub = Service::NewStub(channel);
  grpc::ClientContext context;
  const auto call = stub->ServerReflectionInfo(&context);
  Request request;
  request.set_list_services("*");
  Response response;
  for (int i = 0; i < 2; ++i) {  // a call answers many requests
    if (!call->Write(request) || !call->Read(&response)) return {"no answer"};
  }
  EXPECT_EQ(response.original_request().list_services(), "*");
  std::vector<std::string> names;
  for (const auto& service : response.list_services_response().service()) names.push_back(service.name());
  call->WritesDone();
  EXPECT_TRUE(call->Finish().ok());
  return names;
}

TEST_F(ReflectionServiceTest, BothVersionsListTheServices) {
  namespace newer = grpc::reflection::v1;
  const auto all = testing::UnorderedElementsAre("aaren.v1.Streaming", "aaren.v1.Sessions", "aaren.v1.Models",
                                                 "grpc.health.v1.Health", "grpc.reflection.v1.ServerReflection",
                                                 "grpc.reflection.v1alpha.ServerReflection");
  using Newer = newer::ServerReflection;
  EXPECT_THAT((Listed<Newer, newer::ServerReflectionRequest, newer::ServerReflectionResponse>(NewChannel())), all);
  EXPECT_THAT((Listed<ServerReflection, ServerReflectionRequest, ServerReflectionResponse>(NewChannel())), all);
}

TEST_F(ReflectionServiceTest, OneCallTooManyIsRefusedUntilAnotherEnds) {
  constexpr size_t kCalls = 3;
  rpc::ServerOptions options;
  options.limits.reflections = 2 * kCalls - 1;  // a connection may have half
  Start(options);
  const auto stub = ServerReflection::NewStub(NewChannel());
  const auto answered = [](auto& call) {
    ServerReflectionRequest request;
    request.set_list_services("*");
    ServerReflectionResponse response;
    call.Write(request);
    return call.Read(&response);
  };
  grpc::ClientContext contexts[kCalls], late;
  std::unique_ptr<grpc::ClientReaderWriter<ServerReflectionRequest, ServerReflectionResponse>> calls[kCalls];
  for (size_t i = 0; i < kCalls; ++i) {
    calls[i] = stub->ServerReflectionInfo(&contexts[i]);
    EXPECT_TRUE(answered(*calls[i]));
  }
  const auto refused = stub->ServerReflectionInfo(&late);
  EXPECT_FALSE(answered(*refused));
  EXPECT_EQ(refused->Finish().error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);

  calls[0]->WritesDone();
  EXPECT_TRUE(calls[0]->Finish().ok());
  EXPECT_TRUE(Eventually([&] {
    grpc::ClientContext context;
    const auto call = stub->ServerReflectionInfo(&context);
    const bool served = answered(*call);
    call->WritesDone();
    return served && call->Finish().ok();
  }));
  for (size_t i = 1; i < kCalls; ++i) contexts[i].TryCancel();
}

TEST_F(ReflectionServiceTest, ALongRequestEndsTheCall) {
  const auto stub = ServerReflection::NewStub(NewChannel());
  grpc::ClientContext context;
  const auto call = stub->ServerReflectionInfo(&context);
  ServerReflectionRequest request;
  request.set_file_by_filename(std::string(1 << 20, 'f'));
  call->Write(request);
  ServerReflectionResponse response;
  EXPECT_FALSE(call->Read(&response));
  EXPECT_EQ(call->Finish().error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
}

}  // namespace
}  // namespace aaren::rpc
