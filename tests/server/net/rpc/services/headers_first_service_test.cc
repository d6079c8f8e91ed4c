#include "server/net/rpc/services/headers_first_service.h"

#include <gmock/gmock.h>
#include <grpcpp/generic/generic_stub.h>

#include <memory>
#include <string>
#include <vector>

#include "aaren/v1/models.grpc.pb.h"
#include "aaren/v1/sessions.grpc.pb.h"
#include "tests/server/net/rpc/serving/serving.h"

namespace aaren::rpc {
namespace {

using ::testing::HasSubstr;

// Calls of Models.Get as raw streams of bytes, with any number of messages.
class HeadersFirstServiceTest : public Serving {
 protected:
  // The status of a call with the requests.
  grpc::Status Call(const std::vector<v1::GetModelRequest>& requests) {
    grpc::ClientContext context;
    grpc::CompletionQueue queue;
    grpc::GenericStub stub(NewChannel());
    const auto call = stub.PrepareCall(&context, "/aaren.v1.Models/Get", &queue);
    call->StartCall(nullptr);
    Wait(queue);
    for (const v1::GetModelRequest& request : requests) {
      bool own = true;
      grpc::ByteBuffer bytes;
      (void)grpc::GenericSerialize<grpc::ProtoBufferWriter, v1::GetModelRequest>(request, &bytes, &own);
      call->Write(bytes, nullptr);
      Wait(queue);
    }
    call->WritesDone(nullptr);
    Wait(queue);
    grpc::ByteBuffer reply;
    do {
      call->Read(&reply, nullptr);
    } while (Wait(queue));
    grpc::Status status;
    call->Finish(&status, nullptr);
    Wait(queue);
    return status;
  }

 private:
  // Waits for the operation under way. False if the operation failed.
  static bool Wait(grpc::CompletionQueue& queue) {
    void* tag;
    bool ok;
    return queue.Next(&tag, &ok) && ok;
  }
};

TEST_F(HeadersFirstServiceTest, CallWithOneRequestIsAnsweredAsAUnaryOne) {
  EXPECT_TRUE(Call({v1::GetModelRequest()}).ok());
}

TEST_F(HeadersFirstServiceTest, CallWithoutARequestIsToldSo) {
  const grpc::Status status = Call({});
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("without a request"));
}

TEST_F(HeadersFirstServiceTest, RequestsBeyondTheFirstAreNotLookedAt) {
  v1::GetModelRequest other;
  other.set_model("ghost");
  EXPECT_TRUE(Call({v1::GetModelRequest(), other, other}).ok());
}

TEST_F(HeadersFirstServiceTest, RequestThatIsTooLargeIsRefusedWithBothSizes) {
  v1::ImportSessionRequest request;
  request.set_snapshot(std::string(32 << 20, 'x'));
  grpc::ClientContext context;
  v1::SessionInfo info;
  const grpc::Status status = v1::Sessions::NewStub(NewChannel())->Import(&context, request, &info);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(status.error_message(), HasSubstr("larger than max"));
}

TEST_F(HeadersFirstServiceTest, RequestThatIsNoMessageIsRefused) {
  grpc::ClientContext context;
  grpc::CompletionQueue queue;
  grpc::GenericStub stub(NewChannel());
  const std::string junk = "\x0a\xff\xff\xff\xff\x07";  // a name of 2 GiB
  grpc::Slice slice(junk);
  const auto call = stub.PrepareUnaryCall(&context, "/aaren.v1.Models/Get", grpc::ByteBuffer(&slice, 1), &queue);
  call->StartCall();
  grpc::ByteBuffer reply;
  grpc::Status status;
  call->Finish(&reply, &status, nullptr);
  void* tag;
  bool ok;
  ASSERT_TRUE(queue.Next(&tag, &ok));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(status.error_message(), "malformed aaren.v1.GetModelRequest");
}

}  // namespace
}  // namespace aaren::rpc
