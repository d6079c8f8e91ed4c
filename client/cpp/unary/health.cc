#include "aaren/client/health.h"

#include <utility>

#include "client/cpp/unary/unary.h"
#include "grpc/health/v1/health.grpc.pb.h"

namespace aaren::client {

using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;

class Health::Calls : public UnaryCaller<grpc::health::v1::Health> {
 public:
  using UnaryCaller::UnaryCaller;
};

Health::Health(ServiceOptions options) : calls_(std::make_unique<const Calls>(std::move(options))) {}
Health::~Health() = default;

absl::StatusOr<bool> Health::Serves(const std::string& service, const CallOptions& call) const {
  HealthCheckRequest request;
  request.set_service(service);
  const auto answer = calls_->Ask(&grpc::health::v1::Health::Stub::Check, request, {service}, call);
  if (!answer.ok()) return answer.status();
  return answer->status() == HealthCheckResponse::SERVING;
}

}  // namespace aaren::client
