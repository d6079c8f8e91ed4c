#include "server/operate/admin/admin_service.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/net/rpc/messages/convert.h"
#include "server/operate/admin/page_size.h"
#include "server/operate/admin/settings_list.h"
#include "server/operate/admin/shard_list.h"
#include "server/operate/admin/stream_list.h"
#include "server/operate/admin/watch_list.h"
#include "server/operate/log/shown.h"
#include "server/sessions/session/refusal.h"

namespace aaren::admin {
namespace {

constexpr uint32_t kDefaultSeconds = 10, kMostSeconds = 30;  // for a profile

// An operator sees all tenants: an admin of some tenant is not enough. Empty: all admins are equal.
std::optional<session::Refusal> WhyNot(const identity::Caller& caller, const std::string& tenant) {
  if (tenant.empty() || caller.tenant == tenant) return std::nullopt;
  session::Refusal refusal;
  refusal.status = absl::PermissionDeniedError(
      absl::StrCat("this is for admins of the tenant ", tenant, "; the caller's is ", caller.tenant));
  refusal.reason = "TENANT";
  return refusal;
}

// `name` is a method of the service; the handler gets (request, reply).
template <typename Request, typename Response, typename Handler>
void ServeMethod(rpc::HeadersFirstService& service, absl::string_view name, rpc::UnaryHost& host,
                 const std::string& tenant, Handler handler) {
  rpc::UnaryCall<Request, Response>::Serve(
      service, name, host, identity::Role::kAdmin,
      [&tenant, handler](const identity::Caller& caller, const Request& request, auto reply) {
        if (auto refusal = WhyNot(caller, tenant)) return reply({.refusal = std::move(refusal)});
        handler(request, std::move(reply));
      });
}

void FillPage(const registrar::HerePage& page, v1::ListTenantSessionsResponse& response) {
  for (const registrar::SessionHere& here : page.sessions) {
    v1::LiveSession& session = *response.add_sessions();
    rpc::FillSessionInfo(here.info, *session.mutable_session());
    session.set_shard(static_cast<uint32_t>(here.shard));
    session.set_queued_tokens(here.queued_tokens);
    session.set_stalled(here.stalled);
  }
  response.set_next_page_token(page.next_page_token);
}

}  // namespace

AdminService::AdminService(const AdminSources& sources, const session::Clock& clock)
    : sources_(sources), clock_(clock), busy_(sources.server, clock) {}

void AdminService::Serve(rpc::HeadersFirstService& service, rpc::UnaryHost& host) {
  const std::string& tenant = sources_.config.admin_tenant();
  ServeMethod<v1::GetSettingsRequest, v1::GetSettingsResponse>(service, "GetSettings", host, tenant,
                                                               [this](const auto&, auto reply) {
                                                                 session::Outcome<v1::GetSettingsResponse> outcome;
                                                                 FillSettings(sources_.config, outcome.value);
                                                                 reply(std::move(outcome));
                                                               });
  ServeMethod<v1::ListShardsRequest, v1::ListShardsResponse>(
      service, "ListShards", host, tenant, [this](const auto&, auto reply) {
        session::Outcome<v1::ListShardsResponse> outcome;
        FillShards(sources_.server, sources_.models, busy_, outcome.value);
        reply(std::move(outcome));
      });
  ServeMethod<v1::ListStreamsRequest, v1::ListStreamsResponse>(
      service, "ListStreams", host, tenant,
      [this](const auto& request, auto reply) { ListStreams(sources_.server, request, std::move(reply)); });
  ServeMethod<v1::ListTenantSessionsRequest, v1::ListTenantSessionsResponse>(
      service, "ListTenantSessions", host, tenant,
      [this](const auto& request, auto reply) { ListSessions(request, std::move(reply)); });
  ServeMethod<v1::WatchSessionRequest, v1::WatchSessionResponse>(
      service, "WatchSession", host, tenant,
      [this](const auto& request, auto reply) { WatchSession(request, std::move(reply)); });
  ServeMethod<v1::ProfileRequest, v1::ProfileResponse>(
      service, "Profile", host, tenant,
      [this](const auto& request, auto reply) { BeginProfile(request, std::move(reply)); });
}

void AdminService::WatchSession(const v1::WatchSessionRequest& request,
                                rpc::Reply<v1::WatchSessionResponse> reply) const {
  session::Outcome<v1::WatchSessionResponse> outcome;
  outcome.refusal = Watch(sources_.server.watched(), request, clock_.Now(), outcome.value);
  reply(std::move(outcome));
}

void AdminService::ListSessions(const v1::ListTenantSessionsRequest& request,
                                rpc::Reply<v1::ListTenantSessionsResponse> reply) const {
  // Keys begin with the tenant and a slash: a name with a slash could reach another tenant's keys.
  if (!identity::IsTenant(request.tenant())) {
    const std::string problem = absl::StrCat("'", log::Shown(request.tenant()), "' cannot be a tenant's name");
    return reply({.refusal = session::InvalidField("tenant", problem)});
  }
  sources_.server.sessions().ListHere(
      request.tenant(), request.page_token(), PageSize(request.page_size()),
      [reply = std::move(reply)](session::Outcome<registrar::HerePage> page) mutable {
        session::Outcome<v1::ListTenantSessionsResponse> outcome{.refusal = std::move(page.refusal)};
        if (!outcome.refusal) FillPage(page.value, outcome.value);
        reply(std::move(outcome));
      });
}

void AdminService::BeginProfile(const v1::ProfileRequest& request, rpc::Reply<v1::ProfileResponse> reply) {
  const uint32_t seconds = request.seconds() == 0 ? kDefaultSeconds : request.seconds();
  if (seconds > kMostSeconds) {
    const std::string problem = absl::StrCat(seconds, " is more than ", kMostSeconds);
    return reply({.refusal = session::InvalidField("seconds", problem)});
  }
  if (leaving_) return reply({.refusal = session::ShuttingDown()});
  // A process has a single ITIMER_PROF.
  if (profiling_) {
    return reply({.refusal = session::OverQuota("profiles", "another profile is being taken, one at a time",
                                                profiling_->end - clock_.Now())});
  }
  absl::StatusOr<CpuProfile> profile = CpuProfile::Begin(absl::Seconds(seconds));
  if (!profile.ok()) {
    return reply({.refusal = session::PlainRefusal(profile.status())});
  }
  profiling_.emplace(Profiling{*std::move(profile), clock_.Now() + absl::Seconds(seconds), std::move(reply)});
}

void AdminService::Tick() {
  busy_.Tick();
  if (!profiling_) return;
  // Nobody would get the profile, and it keeps others waiting.
  if (!profiling_->reply.wanted())
    return EndProfile(session::PlainRefusal(absl::CancelledError("its caller has gone")));
  if (clock_.Now() < profiling_->end) return;
  Profiling done = *std::exchange(profiling_, std::nullopt);
  session::Outcome<v1::ProfileResponse> outcome;
  FoldedProfile folded = done.profile.End();
  outcome.value.set_folded(std::move(folded.stacks));
  outcome.value.set_samples(folded.samples);
  outcome.value.set_dropped(folded.dropped);
  outcome.value.set_interval_ms(static_cast<uint32_t>(absl::ToInt64Milliseconds(folded.interval)));
  done.reply(std::move(outcome));
}

void AdminService::Leave() {
  leaving_ = true;
  if (profiling_) EndProfile(session::ShuttingDown());
}

void AdminService::EndProfile(const session::Refusal& why) {
  rpc::Reply<v1::ProfileResponse> reply = std::move(profiling_->reply);
  // The reply comes after the end of the profile: the caller may ask for another at once.
  profiling_.reset();
  reply({.refusal = why});
}

}  // namespace aaren::admin
