#include "server/net/rpc/services/shard_services.h"

#include "grpc/reflection/v1/reflection.pb.h"
#include "grpc/reflection/v1alpha/reflection.pb.h"
#include "server/net/rpc/services/models_service.h"
#include "server/net/rpc/services/reflection_service.h"
#include "server/net/rpc/services/sessions_service.h"
#include "server/net/rpc/services/unknown_methods.h"

namespace aaren::rpc {
namespace {

// The full name of the only service in the file of `Message`, where the service's own code was not generated. This use
// of a message links the descriptors, too.
template <typename Message>
const std::string& ServiceBeside() {
  return Message::descriptor()->file()->service(0)->full_name();
}

const std::string& ReflectionName() { return ServiceBeside<grpc::reflection::v1::ServerReflectionRequest>(); }
const std::string& OldReflectionName() { return ServiceBeside<grpc::reflection::v1alpha::ServerReflectionRequest>(); }

}  // namespace

ShardServices::ShardServices(const models::ModelTable& models, registrar::Registrar& registrar)
    : models_(models),
      registrar_(registrar),
      names_{v1::Streaming::service_full_name(),
             v1::Sessions::service_full_name(),
             v1::Models::service_full_name(),
             grpc::health::v1::Health::service_full_name(),
             ReflectionName(),
             OldReflectionName()},
      names_that_need_store_{v1::Streaming::service_full_name(), v1::Sessions::service_full_name()},
      session_methods_(v1::Sessions::service_full_name()),
      model_methods_(v1::Models::service_full_name()),
      health_methods_(grpc::health::v1::Health::service_full_name()),
      reflection_(ReflectionName()),
      old_reflection_(OldReflectionName()) {}

void ShardServices::Register(grpc::ServerBuilder& builder) {
  for (grpc::Service* service : std::initializer_list<grpc::Service*>{
           &streaming_, &session_methods_, &model_methods_, &health_methods_, &reflection_, &old_reflection_}) {
    builder.RegisterService(service);
  }
  builder.RegisterAsyncGenericService(&unknown_methods_);
}

void ShardServices::Host(grpc::ServerCompletionQueue& queue, session::Mailbox& mailbox, int& calls,
                         const StreamLimits& limits, const session::Clock& clock, const identity::Callers* callers) {
  unary_ = std::make_unique<UnaryHost>(queue, mailbox, calls, limits, clock);
  unary_->callers = callers;
  checks_ = std::make_unique<UnaryHost>(queue, mailbox, calls, limits, clock);
  health_ = std::make_unique<HealthService>(health_methods_, *checks_, names_, names_that_need_store_);
}

void ShardServices::Serve() {
  health_->Serve();
  ServeSessions(session_methods_, *unary_, registrar_);
  ServeModels(model_methods_, *unary_, models_);
  ServeReflection(reflection_, *unary_, names_);
  ServeReflection(old_reflection_, *unary_, names_);
  RefuseUnknownMethods(unknown_methods_, *unary_);
}

void ShardServices::AcceptCalls(bool accept) {
  if (accept) {
    unary_->last_words.Resume();
  } else {
    unary_->last_words.Pause();
  }
}

void ShardServices::LookAtStore(absl::Duration grace, absl::Time now) {
  health_->SetStoreServing(registrar_.store_health().AwayFor(now) <= grace);
}

void ShardServices::Drain() {
  unary_->draining = true;
  health_->SetServing(false);
}

void ShardServices::EndStale() {
  unary_->EndStale();
  checks_->EndStale();
  health_->EndStale();
}

}  // namespace aaren::rpc
