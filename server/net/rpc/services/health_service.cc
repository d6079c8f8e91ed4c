#include "server/net/rpc/services/health_service.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "server/operate/log/shown.h"

namespace aaren::rpc {

using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;

// One call of Watch: writes the state at first, and whenever the state has changed since the last write. The call ends
// when the client has gone (OnGone), and is deleted when no operation is left.
class HealthService::Watch {
 public:
  explicit Watch(HealthService& health) : health_(health), count_(health.host_.calls), io_(&context_) {
    context_.AsyncNotifyWhenDone(&gone_);
    health_.service_.Wait(health_.watch_, context_, io_, health_.host_.queue, &accepted_);
  }
  ~Watch() { health_.watches_.erase(this); }

  void Update() {
    const HealthCheckResponse::ServingStatus status = health_.StatusOf(kind_);
    if (operations_.has_io() || is_gone() || finishing_ || status == told_) return;
    told_ = status;
    operations_.Begin(Operations::kWrite);
    place_.BeginWaiting();
    HealthCheckResponse response;
    response.set_status(status);
    io_.Write(response, &written_);
  }

 private:
  bool is_gone() const { return !operations_.has(Operations::kOver); }

  void OnAccepted(bool ok) {
    if (!ok) return delete this;  // never begun: OnGone does not come
    health_.host_.last_words.WhenFew([&health = health_] { new Watch(health); });
    operations_.End(Operations::kAccept);
    if (is_gone()) return Finish(grpc::Status::CANCELLED);
    place_ = health_.places_.Take(context_.peer(), [this](CallPlaces::Why why) { GiveUp(why); });
    if (!place_.taken()) return Finish(TooMany());
    place_.BeginWaiting();
    operations_.Begin(Operations::kRead);
    io_.Read(&received_, &read_);
  }

  void OnRead(bool ok) {
    operations_.End(Operations::kRead);
    grpc::ByteBuffer received;  // freed when the function returns, in any case
    received.Swap(&received_);
    if (is_gone() || finishing_) return Finish(grpc::Status::CANCELLED);
    place_.EndWaiting();
    if (!ok) return Finish({grpc::StatusCode::INVALID_ARGUMENT, "the call has ended without a request"});
    HealthCheckRequest request;
    if (const absl::Status parsed = ParseRequest(received, kProbeRequest, request); !parsed.ok()) {
      return Finish(ToGrpcStatus(session::PlainRefusal(parsed)));
    }
    kind_ = health_.KindOf(request.service());
    health_.watches_.insert(this);
    Update();
  }

  void OnWritten(bool) {
    operations_.End(Operations::kWrite);
    place_.EndWaiting();
    if (is_gone() || finishing_) return Finish(grpc::Status::CANCELLED);
    Update();
  }

  // The call has lost its place.
  void GiveUp(CallPlaces::Why why) {
    if (operations_.has(Operations::kWrite)) return context_.TryCancel();  // the client does not take the state
    Finish(why == CallPlaces::Why::kStale
               ? grpc::Status(grpc::StatusCode::DEADLINE_EXCEEDED, "the request did not come in time")
               : TooMany());
  }

  void OnGone(bool) {
    operations_.End(Operations::kOver);
    if (!operations_.has(Operations::kAccept) && !operations_.has_io()) Finish(grpc::Status::CANCELLED);
  }

  static grpc::Status TooMany() {
    return ToGrpcStatus(session::OverQuota("watches", "too many watches are open here", absl::Seconds(1)));
  }

  void Finish(const grpc::Status& status) {
    if (std::exchange(finishing_, true)) return DeleteIfDone();
    place_ = {};
    health_.host_.last_words.Begin(last_word_, [this] { context_.TryCancel(); });
    io_.Finish(status, &finished_);
  }

  void OnFinished(bool) {
    operations_.End(Operations::kFinish);
    DeleteIfDone();
  }

  void DeleteIfDone() {
    if (operations_.none()) delete this;
  }

  HealthService& health_;
  CallCount count_;
  grpc::ServerContext context_;
  grpc::ByteBuffer received_;
  Kind kind_ = Kind::kUnknown;
  grpc::ServerAsyncReaderWriter<HealthCheckResponse, grpc::ByteBuffer> io_;
  CallPlaces::Place place_;  // place_ and last_word_ after context_
  LastWords::Word last_word_;
  CallEvent<Watch> accepted_{this, &Watch::OnAccepted}, read_{this, &Watch::OnRead}, written_{this, &Watch::OnWritten},
      gone_{this, &Watch::OnGone}, finished_{this, &Watch::OnFinished};
  HealthCheckResponse::ServingStatus told_ = HealthCheckResponse::UNKNOWN;
  // The thread that hears of the acceptance may come after the thread that hears of the end (baton.h).
  Operations operations_{Operations::kAccept, Operations::kFinish, Operations::kOver};
  bool finishing_ = false;
};

HealthService::HealthService(HeadersFirstService& service, UnaryHost& host, std::vector<std::string> services,
                             std::vector<std::string> need_store)
    : service_(service),
      watch_(service.Find<HealthCheckRequest, HealthCheckResponse>("Watch")),
      host_(host),
      services_(std::move(services)),
      need_store_(std::move(need_store)),
      places_(host.limits.watches, host.clock) {}

void HealthService::Serve() {
  UnaryCall<HealthCheckRequest, HealthCheckResponse>::ServeToTheEnd(
      service_, "Check", host_, [this](const identity::Caller&, const HealthCheckRequest& request, auto reply) {
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

void HealthService::EndStale() { places_.EndStale(host_.clock.Now() - host_.limits.unread); }

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

void HealthService::Check(const HealthCheckRequest& request, Reply<HealthCheckResponse> reply) const {
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
