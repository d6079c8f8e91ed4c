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
  ModelList list{.default_model = answer->default_model()};
  for (const v1::ModelInfo& model : answer->models()) list.models.push_back(ToValue(model));
  for (const v1::ModelUse& use : answer->uses()) {
    list.uses.push_back({use.state() == v1::ModelUse::RETIRING, use.sessions()});
  }
  list.uses.resize(list.models.size());  // a server of before tells none
  for (const v1::ModelLabel& label : answer->labels()) {
    list.labels.push_back({label.label(), static_cast<int>(label.version()), label.share()});
  }
  for (const v1::PendingPackage& package : answer->pending()) {
    list.pending.push_back({package.folder(), package.refusal()});
  }
  return list;
}

absl::StatusOr<ModelInfo> Models::Get(const std::string& model, const CallOptions& call) const {
  v1::GetModelRequest request;
  request.set_model(model);
  const auto answer = calls_->Ask(&v1::Models::Stub::Get, request, {model}, call);
  if (!answer.ok()) return answer.status();
  return ToValue(*answer);
}

}  // namespace aaren::client
