#ifndef AAREN_TESTS_SERVER_OPERATE_ADMIN_ADMIN_SERVING_H_
#define AAREN_TESTS_SERVER_OPERATE_ADMIN_ADMIN_SERVING_H_

// AdminServing is the base of tests with a real admin address of a real server.

#include <memory>
#include <string>

#include "aaren/v1/admin.grpc.pb.h"
#include "absl/strings/str_cat.h"
#include "grpcpp/create_channel.h"
#include "grpcpp/security/credentials.h"
#include "server/operate/admin/admin_server.h"
#include "tests/server/net/rpc/serving/serving.h"

namespace aaren::admin {

class AdminServing : public rpc::Serving {
 public:
  using Stub = v1::Admin::Stub;

 protected:
  ~AdminServing() override { admin_.reset(); }  // the admin asks the server

  // Starts on a free port of this machine, unless the settings name an address.
  void StartAdmin(const AdminOptions& options = {}) {
    if (config_.admin_address().empty()) config_.set_admin_address("127.0.0.1:0");
    auto admin = AdminServer::Start(options, config_, server(), models_);
    ASSERT_TRUE(admin.ok()) << admin.status();
    admin_ = *std::move(admin);
    channel_ = grpc::CreateChannel(admin_->address(), grpc::InsecureChannelCredentials());
  }

  template <typename Request, typename Response>
  grpc::Status Ask(grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                   const Request& request, Response& response, const std::string& token = "") const {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(60));
    if (!token.empty()) context.AddMetadata("authorization", absl::StrCat("Bearer ", token));
    return (v1::Admin::NewStub(channel_).get()->*method)(&context, request, &response);
  }

  v1::ListShardsResponse Shards() const {
    v1::ListShardsResponse response;
    EXPECT_TRUE(Ask(&Stub::ListShards, v1::ListShardsRequest(), response).ok());
    return response;
  }

  config::ServerConfig config_;
  std::unique_ptr<AdminServer> admin_;
  std::shared_ptr<grpc::Channel> channel_;
};

}  // namespace aaren::admin

#endif  // AAREN_TESTS_SERVER_OPERATE_ADMIN_ADMIN_SERVING_H_
