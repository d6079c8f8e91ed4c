#ifndef AAREN_TESTS_CLIENT_LYING_SERVICES_H_
#define AAREN_TESTS_CLIENT_LYING_SERVICES_H_

// LyingServices are the unary services of a server that lies: each answer is an honest answer of a server with a model,
// a session, a shard and a stream, changed by a Lie on its way out. Threading: safe from any thread; gRPC's threads
// call the Lie.

#include <grpcpp/grpcpp.h>

#include <functional>
#include <memory>
#include <string>

#include "aaren/v1/admin.grpc.pb.h"
#include "aaren/v1/models.grpc.pb.h"
#include "aaren/v1/sessions.grpc.pb.h"

namespace aaren {

// Changes an answer of any kind.
using Lie = std::function<void(google::protobuf::Message&)>;

// A Lie about answers of type Answer.
template <typename Answer>
Lie About(std::function<void(Answer&)> change) {
  return [change = std::move(change)](google::protobuf::Message& message) {
    if (auto* answer = dynamic_cast<Answer*>(&message)) change(*answer);
  };
}

class LyingServices {
 public:
  explicit LyingServices(Lie lie);
  ~LyingServices();

  const std::string& target() const { return target_; }

 private:
  class Services;
  const std::unique_ptr<Services> services_;
  std::unique_ptr<grpc::Server> server_;
  std::string target_;
};

}  // namespace aaren

#endif  // AAREN_TESTS_CLIENT_LYING_SERVICES_H_
