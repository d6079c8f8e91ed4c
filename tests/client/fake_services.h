#ifndef AAREN_TESTS_CLIENT_FAKE_SERVICES_H_
#define AAREN_TESTS_CLIENT_FAKE_SERVICES_H_

// The services Sessions and Models of a FakeServer, to a client like real services. A snapshot is a running sum and a
// seq as text. Threading: safe from any thread.

#include <grpcpp/grpcpp.h>

#include "aaren/v1/models.grpc.pb.h"
#include "aaren/v1/sessions.grpc.pb.h"

namespace aaren {

class FakeServer;

// "sum:3", the only model.
v1::ModelInfo FakeModel();

google::rpc::Status RpcStatus(int code, const std::string& message);

class FakeSessions : public v1::Sessions::Service {
 public:
  explicit FakeSessions(FakeServer& server) : server_(server) {}

  grpc::Status Get(grpc::ServerContext* context, const v1::GetSessionRequest* request,
                   v1::SessionInfo* response) override;
  grpc::Status List(grpc::ServerContext* context, const v1::ListSessionsRequest* request,
                    v1::ListSessionsResponse* response) override;
  grpc::Status Export(grpc::ServerContext* context, const v1::ExportSessionRequest* request,
                      v1::ExportSessionResponse* response) override;
  grpc::Status Import(grpc::ServerContext* context, const v1::ImportSessionRequest* request,
                      v1::SessionInfo* response) override;
  grpc::Status Fork(grpc::ServerContext* context, const v1::ForkSessionRequest* request,
                    v1::SessionInfo* response) override;
  grpc::Status Delete(grpc::ServerContext* context, const v1::DeleteSessionRequest* request,
                      v1::DeleteSessionResponse* response) override;

 private:
  FakeServer& server_;
};

class FakeModels : public v1::Models::Service {
 public:
  grpc::Status List(grpc::ServerContext* context, const v1::ListModelsRequest* request,
                    v1::ListModelsResponse* response) override;
  grpc::Status Get(grpc::ServerContext* context, const v1::GetModelRequest* request, v1::ModelInfo* response) override;
};

}  // namespace aaren

#endif  // AAREN_TESTS_CLIENT_FAKE_SERVICES_H_
