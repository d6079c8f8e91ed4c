#include "server/net/rpc/services/models_service.h"

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "server/net/rpc/messages/convert.h"
#include "server/sessions/session/refusal.h"

namespace aaren::rpc {
namespace {

session::Outcome<v1::ListModelsResponse> List(const models::ModelTable& models) {
  session::Outcome<v1::ListModelsResponse> outcome;
  const std::vector<models::ModelRef> tiers = models.tiers();
  for (const models::ModelRef& model : models.models()) {
    FillModelInfo(*model, *outcome.value.add_models());
    v1::ModelUse& use = *outcome.value.add_uses();
    use.set_state(model->retiring ? v1::ModelUse::RETIRING : v1::ModelUse::OFFERED);
    for (const models::ModelRef& tier : tiers) {
      if (tier->id == model->id) use.set_sessions(use.sessions() + tier->sessions());
    }
  }
  if (const models::ModelRef model = models.default_model()) outcome.value.set_default_model(model->id);
  const models::ModelLabels labels = models.labels();
  for (const auto& [key, label] : labels.by_name) {
    v1::ModelLabel& out = *outcome.value.add_labels();
    out.set_label(absl::StrCat(key.first, "@", key.second));
    out.set_version(static_cast<uint32_t>(label.version));
    out.set_share(label.share);
  }
  for (const models::PendingPackage& package : models.pending()) {
    v1::PendingPackage& out = *outcome.value.add_pending();
    out.set_folder(std::filesystem::path(package.folder).filename().string());
    out.set_refusal(package.refusal);
  }
  return outcome;
}

session::Outcome<v1::ModelInfo> Get(const models::ModelTable& models, const std::string& name) {
  const absl::StatusOr<models::ModelRef> model = models.Find(name);
  if (!model.ok()) return {.refusal = session::ModelNotFound(model.status())};
  session::Outcome<v1::ModelInfo> outcome;
  FillModelInfo(**model, outcome.value);
  return outcome;
}

}  // namespace

void ServeModels(HeadersFirstService& service, UnaryHost& host, const models::ModelTable& models) {
  UnaryCall<v1::ListModelsRequest, v1::ListModelsResponse>::Serve(
      service, "List", host, identity::Role::kRead,
      [&models](const identity::Caller&, const v1::ListModelsRequest&, auto reply) { reply(List(models)); });
  UnaryCall<v1::GetModelRequest, v1::ModelInfo>::Serve(
      service, "Get", host, identity::Role::kRead,
      [&models](const identity::Caller&, const v1::GetModelRequest& request, auto reply) {
        reply(Get(models, request.model()));
      });
}

}  // namespace aaren::rpc
