#include "server/net/rpc/services/health_service.h"

#include <gmock/gmock.h>

#include <atomic>

#include "tests/server/net/rpc/serving/serving.h"

namespace aaren::rpc {
namespace {

using grpc::health::v1::Health;
using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;

class HealthServiceTest : public Serving {
 protected:
  HealthServiceTest() : stub_(Health::NewStub(NewChannel())) {}

  std::unique_ptr<Health::Stub> stub_;
};

TEST_F(HealthServiceTest, ServerAndEveryServiceServe) {
  for (const char* service : {"", "aaren.v1.Streaming", "aaren.v1.Sessions", "aaren.v1.Models"}) {
    grpc::ClientContext context;
    HealthCheckRequest request;
    request.set_service(service);
    HealthCheckResponse response;
    EXPECT_TRUE(stub_->Check(&context, request, &response).ok()) << service;
    EXPECT_EQ(response.status(), HealthCheckResponse::SERVING) << service;
  }
}

TEST_F(HealthServiceTest, CheckOfAnUnknownServiceIsNotFound) {
  grpc::ClientContext context;
  HealthCheckRequest request;
  request.set_service("no.such.Service");
  HealthCheckResponse response;
  const grpc::Status status = stub_->Check(&context, request, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_THAT(status.error_message(), testing::HasSubstr("no.such.Service"));
}

TEST_F(HealthServiceTest, WatchOfAnUnknownServiceStaysOpenAndSaysSo) {
  grpc::ClientContext context;
  HealthCheckRequest request;
  request.set_service("no.such.Service");
  const auto watch = stub_->Watch(&context, request);
  HealthCheckResponse response;
  ASSERT_TRUE(watch->Read(&response));
  EXPECT_EQ(response.status(), HealthCheckResponse::SERVICE_UNKNOWN);
  context.TryCancel();
  EXPECT_EQ(watch->Finish().error_code(), grpc::StatusCode::CANCELLED);
}

// Goes away and comes back.
class AwayStore : public store::MemoryStore {
 public:
  bool shared() const override { return true; }
  void TryWrite(Answer<absl::Status> answer) override {
    answer(away ? absl::UnavailableError("told to be away") : absl::OkStatus());
  }

  std::atomic<bool> away{false};
};

class HealthOfStoreTest : public Serving {
 protected:
  HealthOfStoreTest() {
    rpc::ServerOptions options = Options();
    options.store_grace = absl::Milliseconds(100);
    server_ = rpc::Server::Start(options, models_, away_store_).value();
    stub_ = Health::NewStub(NewChannel());
  }
  ~HealthOfStoreTest() override { server_.reset(); }

  HealthCheckResponse::ServingStatus StatusOf(const std::string& service) {
    grpc::ClientContext context;
    HealthCheckRequest request;
    request.set_service(service);
    HealthCheckResponse response;
    EXPECT_TRUE(stub_->Check(&context, request, &response).ok());
    return response.status();
  }

  AwayStore away_store_;
  std::unique_ptr<Health::Stub> stub_;
};

TEST_F(HealthOfStoreTest, ServicesThatNeedAStoreDoNotServeWhileItIsAwayAndTheServerDoes) {
  away_store_.away = true;
  EXPECT_TRUE(Eventually([&] { return StatusOf("aaren.v1.Streaming") == HealthCheckResponse::NOT_SERVING; }));
  EXPECT_EQ(StatusOf("aaren.v1.Sessions"), HealthCheckResponse::NOT_SERVING);
  EXPECT_EQ(StatusOf("aaren.v1.Models"), HealthCheckResponse::SERVING);
  EXPECT_EQ(StatusOf(""), HealthCheckResponse::SERVING);
  away_store_.away = false;
  EXPECT_TRUE(Eventually([&] { return StatusOf("aaren.v1.Streaming") == HealthCheckResponse::SERVING; }));
}

TEST_F(HealthOfStoreTest, AWatcherIsTold) {
  grpc::ClientContext context;
  HealthCheckRequest request;
  request.set_service("aaren.v1.Streaming");
  const auto watch = stub_->Watch(&context, request);
  HealthCheckResponse response;
  ASSERT_TRUE(watch->Read(&response));
  EXPECT_EQ(response.status(), HealthCheckResponse::SERVING);
  away_store_.away = true;
  ASSERT_TRUE(watch->Read(&response));
  EXPECT_EQ(response.status(), HealthCheckResponse::NOT_SERVING);
  context.TryCancel();
  watch->Finish();
}

TEST_F(HealthServiceTest, WatchersThatLeaveAreForgotten) {
  for (int i = 0; i < 20; ++i) {
    grpc::ClientContext context;
    const auto watch = stub_->Watch(&context, HealthCheckRequest());
    HealthCheckResponse response;
    ASSERT_TRUE(watch->Read(&response));
    context.TryCancel();
    watch->Finish();
  }
  server().Shutdown(absl::Seconds(5));  // hangs if a watch is still told
}

}  // namespace
}  // namespace aaren::rpc
