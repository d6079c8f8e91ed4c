#include "server/net/rpc/services/models_service.h"

#include <gmock/gmock.h>

#include "tests/server/net/rpc/serving/serving.h"

namespace aaren::rpc {
namespace {

class ModelsServiceTest : public Serving {
 protected:
  ModelsServiceTest() : stub_(v1::Models::NewStub(NewChannel())) {}

  std::unique_ptr<v1::Models::Stub> stub_;
  grpc::ClientContext context_;
};

TEST_F(ModelsServiceTest, ListsModelsAndTheDefault) {
  v1::ListModelsResponse response;
  ASSERT_TRUE(stub_->List(&context_, {}, &response).ok());
  ASSERT_EQ(response.models_size(), 1);
  EXPECT_EQ(response.models(0).description(), "adds up");
  EXPECT_EQ(response.models(0).training().at("seed"), "7");
  EXPECT_EQ(response.default_model(), "sum:1");
}

TEST_F(ModelsServiceTest, ListTellsOfUseLabelsAndPackagesThatAreNotServed) {
  models_.Find("sum").value()->counters.Add().sessions.Set(3);
  models_.SetLabels(models::ParseLabels("sum@canary 1 5%").value());
  models_.SetPending({{"/models/half", "its weights are missing"}, {"/models/new", ""}});
  models_.Retire(models_.Find("sum").value()->package.digest);
  v1::ListModelsResponse response;
  ASSERT_TRUE(stub_->List(&context_, {}, &response).ok());
  ASSERT_EQ(response.uses_size(), 1);
  EXPECT_EQ(response.uses(0).state(), v1::ModelUse::RETIRING);
  EXPECT_EQ(response.uses(0).sessions(), 3u);
  ASSERT_EQ(response.labels_size(), 1);
  EXPECT_EQ(response.labels(0).label(), "sum@canary");
  EXPECT_DOUBLE_EQ(response.labels(0).share(), 0.05);
  ASSERT_EQ(response.pending_size(), 2);
  EXPECT_EQ(response.pending(0).folder(), "half");
  EXPECT_EQ(response.pending(0).refusal(), "its weights are missing");
  EXPECT_EQ(response.pending(1).refusal(), "");
  EXPECT_EQ(response.default_model(), "");
}

TEST_F(ModelsServiceTest, GetsByNameWithAndWithoutVersion) {
  for (const char* name : {"sum", "sum:1"}) {
    grpc::ClientContext context;
    v1::GetModelRequest request;
    request.set_model(name);
    v1::ModelInfo info;
    ASSERT_TRUE(stub_->Get(&context, request, &info).ok());
    EXPECT_EQ(info.version(), 1u);
  }
}

TEST_F(ModelsServiceTest, UnknownModelIsNotFoundByName) {
  v1::GetModelRequest request;
  request.set_model("other");
  v1::ModelInfo info;
  const grpc::Status status = stub_->Get(&context_, request, &info);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_THAT(status.error_message(), testing::HasSubstr("other"));
  EXPECT_THAT(status.error_details(), testing::HasSubstr("MODEL_NOT_FOUND"));
}

}  // namespace
}  // namespace aaren::rpc
