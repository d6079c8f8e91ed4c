#ifndef AAREN_TESTS_CLIENT_HEALTH_SERVER_H_
#define AAREN_TESTS_CLIENT_HEALTH_SERVER_H_

// A HealthServer is gRPC's own health service on a free port, to test a client's questions. Threading:
// single-threaded.

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

#include "aaren/v1/models.grpc.pb.h"
#include "absl/strings/str_cat.h"

namespace aaren {

class HealthServer {
 public:
  HealthServer() {
    grpc::EnableDefaultHealthCheckService(true);
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(&models_);  // gRPC polls for a server with a service
    server_ = builder.BuildAndStart();
    grpc::EnableDefaultHealthCheckService(false);
    target_ = absl::StrCat("127.0.0.1:", port);
  }

  const std::string& target() const { return target_; }
  void Set(const std::string& service, bool serves) {
    server_->GetHealthCheckService()->SetServingStatus(service, serves);
  }

 private:
  v1::Models::Service models_;
  std::unique_ptr<grpc::Server> server_;
  std::string target_;
};

}  // namespace aaren

#endif  // AAREN_TESTS_CLIENT_HEALTH_SERVER_H_
