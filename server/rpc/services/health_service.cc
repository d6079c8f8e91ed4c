#include "server/rpc/services/health_service.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "server/log/shown.h"

namespace aaren::rpc {

using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;

// One call of Watch: writes the state at first and whenever it has changed since the last write. It ends when its
// caller has gone (OnGone) and deletes itself when no operation is left.
class HealthService::Watch {
 public:
  explicit Watch(HealthService& health) : health_(health), count_(health.host_.calls), writer_(&context_) {
    context_.AsyncNotifyWhenDone(&gone_);
    grpc::ServerCompletionQueue* queue = &health_.host_.queue;
    health_.async_.RequestWatch(&context_, &request_, &writer_, queue, queue, &accepted_);
  }
  ~Watch() {
    if (health_.watches_.erase(this) > 0) health_.shares_.Give(peer_);
  }

  void Update() {
    const HealthCheckResponse::ServingStatus status = health_.StatusOf(kind_);
    if (writing_ || is_gone_ || status == told_) return;
    told_ = status;
    writing_ = true;
    HealthCheckResponse response;
    response.set_status(status);
    writer_.Write(response, &written_);
  }

 private:
  void OnAccepted(bool ok) {
    if (!ok) return delete this;  // never begun, so OnGone does not come
    new Watch(health_);
    kind_ = health_.KindOf(request_.service());
    request_ = {};  // the name of a service that is not known may be long
    peer_ = context_.peer();
    if (!health_.shares_.Admits(peer_)) {
      finishing_ = true;
      const session::Refusal refusal =
          session::OverQuota("watches", "too many watches are open here", absl::Seconds(1));
      return writer_.Finish(ToGrpcStatus(refusal), &finished_);
    }
    health_.watches_.insert(this);
    health_.shares_.Take(peer_);
    Update();
  }

  void OnWritten(bool) {
    writing_ = false;
    if (is_gone_) return Finish();
    Update();
  }

  void OnGone(bool) {
    is_gone_ = true;
    if (!writing_) Finish();
  }

  void Finish() {
    if (!std::exchange(finishing_, true)) return writer_.Finish(grpc::Status::CANCELLED, &finished_);
    if (finished_done_) delete this;
  }

  void OnFinished(bool) {
    finished_done_ = true;
    if (is_gone_) delete this;
  }

  HealthService& health_;
  CallCount count_;
  grpc::ServerContext context_;
  HealthCheckRequest request_;
  std::string peer_;
  Kind kind_ = Kind::kUnknown;
  grpc::ServerAsyncWriter<HealthCheckResponse> writer_;
  CallEvent<Watch> accepted_{this, &Watch::OnAccepted}, written_{this, &Watch::OnWritten}, gone_{this, &Watch::OnGone},
      finished_{this, &Watch::OnFinished};
  HealthCheckResponse::ServingStatus told_ = HealthCheckResponse::UNKNOWN;
  bool writing_ = false;
  bool is_gone_ = false;
  bool finishing_ = false, finished_done_ = false;
};

HealthService::HealthService(Async& async, UnaryHost& host, std::vector<std::string> services,
                             std::vector<std::string> need_store)
    : async_(async),
      host_(host),
      services_(std::move(services)),
      need_store_(std::move(need_store)),
      shares_(host.limits.watches) {}

void HealthService::Serve() {
  UnaryCall<HealthCheckRequest, HealthCheckResponse>::ServeToTheEnd(
      host_, [this](auto... arguments) { async_.RequestCheck(arguments...); },
      [this](const identity::Caller&, const HealthCheckRequest& request, auto reply) {
        Check(request, std::move(reply));
      });
  new Watch(*this);
}

void HealthService::SetServing(bool serving) {
  serving_ = serving;
  Tell();
}

void HealthService::SetStoreServing(bool serving) {
  if (std::exchange(store_serving_, serving) != serving) Tell();
}

void HealthService::Tell() {
  for (Watch* watch : watches_) watch->Update();
}

HealthService::Kind HealthService::KindOf(const std::string& service) const {
  const auto names = [&service](const std::vector<std::string>& services) {
    return std::find(services.begin(), services.end(), service) != services.end();
  };
  if (names(need_store_)) return Kind::kNeedsStore;
  return service.empty() || names(services_) ? Kind::kServes : Kind::kUnknown;
}

HealthCheckResponse::ServingStatus HealthService::StatusOf(Kind kind) const {
  if (kind == Kind::kUnknown) return HealthCheckResponse::SERVICE_UNKNOWN;
  const bool serves = serving_ && (store_serving_ || kind != Kind::kNeedsStore);
  return serves ? HealthCheckResponse::SERVING : HealthCheckResponse::NOT_SERVING;
}

void HealthService::Check(const HealthCheckRequest& request,
                          UnaryCall<HealthCheckRequest, HealthCheckResponse>::Reply reply) const {
  session::Outcome<HealthCheckResponse> outcome;
  if (const Kind kind = KindOf(request.service()); kind != Kind::kUnknown) {
    outcome.value.set_status(StatusOf(kind));
  } else {
    outcome.refusal.emplace().status =
        absl::NotFoundError(absl::StrCat("no service '", log::Shown(request.service()), "' is served here"));
  }
  reply(std::move(outcome));
}

}  // namespace aaren::rpc
