#include "aaren/client/models.h"

#include <utility>

#include "aaren/v1/models.grpc.pb.h"
#include "client/cpp/messages/values.h"
#include "client/cpp/unary/unary.h"

namespace aaren::client {

class Models::Calls : public UnaryCaller<v1::Models> {
 public:
  using UnaryCaller::UnaryCaller;
};

Models::Models(ServiceOptions options) : calls_(std::make_unique<const Calls>(std::move(options))) {}
Models::~Models() = default;

absl::StatusOr<ModelList> Models::List(const CallOptions& call) const {
  const auto answer = calls_->Ask(&v1::Models::Stub::List, v1::ListModelsRequest(), {}, call);
  if (!answer.ok()) return answer.status();
  return ToValue(*answer, calls_->server());
}

absl::StatusOr<ModelInfo> Models::Get(const std::string& model, const CallOptions& call) const {
  v1::GetModelRequest request;
  request.set_model(model);
  const auto answer = calls_->Ask(&v1::Models::Stub::Get, request, {model}, call);
  if (!answer.ok()) return answer.status();
  return ToValue(*answer, calls_->server());
}

}  // namespace aaren::client
