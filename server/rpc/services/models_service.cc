#include "server/rpc/services/models_service.h"

#include "server/rpc/messages/convert.h"
#include "server/session/refusal.h"

namespace aaren::rpc {
namespace {

session::Outcome<v1::ListModelsResponse> List(const models::ModelTable& models) {
  session::Outcome<v1::ListModelsResponse> outcome;
  for (const auto& model : models.models()) FillModelInfo(*model, *outcome.value.add_models());
  if (models.default_model() != nullptr) outcome.value.set_default_model(models.default_model()->id);
  return outcome;
}

session::Outcome<v1::ModelInfo> Get(const models::ModelTable& models, const std::string& name) {
  const absl::StatusOr<const models::LoadedModel*> model = models.Find(name);
  if (!model.ok()) return {.refusal = session::ModelNotFound(model.status())};
  session::Outcome<v1::ModelInfo> outcome;
  FillModelInfo(**model, outcome.value);
  return outcome;
}

}  // namespace

void ServeModels(v1::Models::AsyncService& service, UnaryHost& host, const models::ModelTable& models) {
  UnaryCall<v1::ListModelsRequest, v1::ListModelsResponse>::Serve(
      host, [&service](auto... arguments) { service.RequestList(arguments...); }, identity::Role::kRead,
      [&models](const identity::Caller&, const v1::ListModelsRequest&, auto reply) { reply(List(models)); });
  UnaryCall<v1::GetModelRequest, v1::ModelInfo>::Serve(
      host, [&service](auto... arguments) { service.RequestGet(arguments...); }, identity::Role::kRead,
      [&models](const identity::Caller&, const v1::GetModelRequest& request, auto reply) {
        reply(Get(models, request.model()));
      });
}

}  // namespace aaren::rpc
