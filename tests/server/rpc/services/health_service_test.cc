#include "server/rpc/services/health_service.h"

#include <gmock/gmock.h>

#include "tests/server/rpc/serving.h"

namespace aaren {
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

TEST_F(HealthServiceTest, WatchersThatLeaveAreForgotten) {
  for (int i = 0; i < 20; ++i) {
    grpc::ClientContext context;
    const auto watch = stub_->Watch(&context, HealthCheckRequest());
    HealthCheckResponse response;
    ASSERT_TRUE(watch->Read(&response));
    context.TryCancel();
    watch->Finish();
  }
  server().Shutdown(absl::Seconds(5));  // hangs if one of them is still told
}

}  // namespace
}  // namespace aaren
