#include "server/net/rpc/services/sessions_service.h"

#include <gmock/gmock.h>

#include "tests/server/net/rpc/serving/serving.h"

namespace aaren::rpc {
namespace {

// A session "a" on a stream, with a token of value 1.
class SessionsServiceTest : public Serving {
 protected:
  SessionsServiceTest() : stub_(v1::Sessions::NewStub(NewChannel())), stream_(NewChannel()) {
    stream_.Greet();
    stream_.Open(0, "a");
    stream_.Send(TokensItem(0, 0, {1}));
    stream_.Receive();
  }

  // Calls a method of the stub.
  template <typename Request, typename Response>
  grpc::Status Call(grpc::Status (v1::Sessions::Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                    const Request& request, Response& response) {
    grpc::ClientContext context;
    return (stub_.get()->*method)(&context, request, &response);
  }

  grpc::Status Get(const std::string& id, v1::SessionInfo& info) {
    v1::GetSessionRequest request;
    request.set_session_id(id);
    return Call(&v1::Sessions::Stub::Get, request, info);
  }

  v1::ExportSessionResponse Export(const std::string& id) {
    v1::ExportSessionRequest request;
    request.set_session_id(id);
    v1::ExportSessionResponse response;
    EXPECT_TRUE(Call(&v1::Sessions::Stub::Export, request, response).ok());
    return response;
  }

  std::unique_ptr<v1::Sessions::Stub> stub_;
  TestStream stream_;
};

TEST_F(SessionsServiceTest, GetDescribesALiveSession) {
  v1::SessionInfo info;
  ASSERT_TRUE(Get("a", info).ok());
  EXPECT_EQ(info.session_id(), "a");
  EXPECT_EQ(info.next_seq(), 1u);
  EXPECT_EQ(info.model(), "sum:1");
  EXPECT_EQ(info.package_digest(), "d1935");
  EXPECT_EQ(info.state_bytes(), 64u);
  EXPECT_TRUE(info.attached());
  EXPECT_TRUE(info.resident());
}

TEST_F(SessionsServiceTest, GetOfAnUnknownSessionIsNotFoundByName) {
  v1::SessionInfo info;
  const grpc::Status status = Get("ghost", info);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_THAT(status.error_message(), testing::HasSubstr("ghost"));
  EXPECT_THAT(status.error_details(), testing::HasSubstr("SESSION_NOT_FOUND"));
}

TEST_F(SessionsServiceTest, ListGoesPageByPage) {
  for (uint32_t i = 1; i < 5; ++i) stream_.Open(i, "b" + std::to_string(i));
  v1::ListSessionsRequest request;
  request.set_page_size(3);
  std::vector<std::string> ids;
  for (int pages = 0; pages < 2; ++pages) {
    v1::ListSessionsResponse response;
    ASSERT_TRUE(Call(&v1::Sessions::Stub::List, request, response).ok());
    for (const v1::SessionInfo& info : response.sessions()) ids.push_back(info.session_id());
    request.set_page_token(response.next_page_token());
  }
  EXPECT_THAT(ids, testing::ElementsAre("a", "b1", "b2", "b3", "b4"));
  EXPECT_EQ(request.page_token(), "");
}

TEST_F(SessionsServiceTest, PageBeyondTheLimitIsRefused) {
  v1::ListSessionsRequest request;
  request.set_page_size(1001);
  v1::ListSessionsResponse response;
  const grpc::Status status = Call(&v1::Sessions::Stub::List, request, response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), testing::HasSubstr("1001"));
}

TEST_F(SessionsServiceTest, ExportedSnapshotImportsAsAnotherSession) {
  v1::ImportSessionRequest request;
  request.set_session_id("copy");
  request.set_snapshot(Export("a").snapshot());
  v1::SessionInfo info;
  const grpc::Status status = Call(&v1::Sessions::Stub::Import, request, info);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(info.next_seq(), 1u);
  EXPECT_EQ(stream_.Open(1, "copy").next_seq(), 1u);
  stream_.Send(TokensItem(1, 1, {5}));
  EXPECT_EQ(stream_.Receive().forecasts().values(0), SumForecast(6, 1, 0));
}

// 64 channels of 64 bytes.
TEST_F(SessionsServiceTest, SnapshotIsImportedThoughAMessageOfAStreamMayNotBeSoLarge) {
  rpc::ServerOptions options = Options();
  options.message_bytes = 2 << 10;
  Start(options);
  stub_ = v1::Sessions::NewStub(NewChannel());
  TestStream stream(NewChannel());
  stream.Greet();
  v1::ClientItem open = OpenItem(0, "wide");
  open.mutable_open()->set_channels(64);
  stream.Send(open);
  while (!stream.Receive().has_opened()) {
  }
  v1::ImportSessionRequest request;
  request.set_session_id("copy");
  request.set_snapshot(Export("wide").snapshot());
  ASSERT_GT(request.snapshot().size(), options.message_bytes);
  v1::SessionInfo info;
  const grpc::Status status = Call(&v1::Sessions::Stub::Import, request, info);
  EXPECT_TRUE(status.ok()) << status.error_message();
}

TEST_F(SessionsServiceTest, CutSnapshotIsDataLoss) {
  v1::ImportSessionRequest request;
  request.set_session_id("copy");
  request.set_snapshot(Export("a").snapshot());
  request.mutable_snapshot()->pop_back();
  v1::SessionInfo info;
  EXPECT_EQ(Call(&v1::Sessions::Stub::Import, request, info).error_code(), grpc::StatusCode::DATA_LOSS);
}

TEST_F(SessionsServiceTest, ForkGoesItsOwnWay) {
  v1::ForkSessionRequest request;
  request.set_session_id("a");
  request.set_new_session_id("fork");
  v1::SessionInfo info;
  ASSERT_TRUE(Call(&v1::Sessions::Stub::Fork, request, info).ok());
  stream_.Open(1, "fork");
  stream_.Send({TokensItem(0, 1, {10}), TokensItem(1, 1, {100})});
  std::vector<float> values;
  for (int i = 0; i < 2; ++i) values.push_back(stream_.Receive().forecasts().values(0));
  EXPECT_THAT(values, testing::UnorderedElementsAre(SumForecast(11, 1, 0), SumForecast(101, 1, 0)));
}

TEST_F(SessionsServiceTest, EvictedSessionLeavesMemoryAndGoesOnWhereItWas) {
  v1::EvictSessionRequest request;
  request.set_session_id("a");
  v1::EvictSessionResponse response;
  ASSERT_TRUE(Call(&v1::Sessions::Stub::Evict, request, response).ok());
  EXPECT_EQ(stream_.Receive().failed().status().code(), grpc::StatusCode::UNAVAILABLE);
  v1::SessionInfo info;
  ASSERT_TRUE(Get("a", info).ok());
  EXPECT_FALSE(info.resident());
  EXPECT_EQ(info.next_seq(), 1u);
}

TEST_F(SessionsServiceTest, EvictOfAnUnknownSessionIsNotFound) {
  v1::EvictSessionRequest request;
  request.set_session_id("ghost");
  v1::EvictSessionResponse response;
  EXPECT_EQ(Call(&v1::Sessions::Stub::Evict, request, response).error_code(), grpc::StatusCode::NOT_FOUND);
}

TEST_F(SessionsServiceTest, DeleteFencesTheWriter) {
  v1::DeleteSessionRequest request;
  request.set_session_id("a");
  v1::DeleteSessionResponse response;
  ASSERT_TRUE(Call(&v1::Sessions::Stub::Delete, request, response).ok());
  EXPECT_EQ(stream_.Receive().failed().status().code(), grpc::StatusCode::ABORTED);
  v1::SessionInfo info;
  EXPECT_EQ(Get("a", info).error_code(), grpc::StatusCode::NOT_FOUND);
}

}  // namespace
}  // namespace aaren::rpc
