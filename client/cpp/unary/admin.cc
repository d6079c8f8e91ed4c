#include "aaren/client/admin.h"

#include <utility>

#include "aaren/v1/admin.grpc.pb.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "client/cpp/messages/admin_values.h"
#include "client/cpp/unary/unary.h"

namespace aaren::client {
namespace {

using AdminStub = v1::Admin::Stub;

}  // namespace

// Keeps the stub's type out of the public header.
class Admin::Calls : public UnaryCaller<v1::Admin> {
 public:
  using UnaryCaller::UnaryCaller;
};

Admin::Admin(ServiceOptions options)
    : timeout_(options.timeout), calls_(std::make_unique<const Calls>(std::move(options))) {}
Admin::~Admin() = default;

absl::StatusOr<ServerSettings> Admin::Settings(const CallOptions& call) const {
  const auto answer = calls_->Ask(&AdminStub::GetSettings, v1::GetSettingsRequest(), {}, call);
  if (!answer.ok()) return answer.status();
  return ToValue(*answer, calls_->server());
}

absl::StatusOr<std::vector<ShardInfo>> Admin::Shards(const CallOptions& call) const {
  const auto answer = calls_->Ask(&AdminStub::ListShards, v1::ListShardsRequest(), {}, call);
  if (!answer.ok()) return answer.status();
  return ToValue(*answer, calls_->server());
}

absl::StatusOr<StreamPage> Admin::Streams(const std::string& page_token, uint32_t page_size,
                                          const CallOptions& call) const {
  v1::ListStreamsRequest request;
  request.set_page_token(page_token);
  request.set_page_size(page_size);
  const auto answer = calls_->Ask(&AdminStub::ListStreams, request, {}, call);
  if (!answer.ok()) return answer.status();
  return ToValue(*answer, calls_->server());
}

absl::StatusOr<LiveSessionPage> Admin::Sessions(const std::string& tenant, const std::string& page_token,
                                                uint32_t page_size, const CallOptions& call) const {
  v1::ListTenantSessionsRequest request;
  request.set_tenant(tenant);
  request.set_page_token(page_token);
  request.set_page_size(page_size);
  const auto answer = calls_->Ask(&AdminStub::ListTenantSessions, request, {tenant}, call);
  if (!answer.ok()) return answer.status();
  return ToValue(*answer, calls_->server());
}

absl::StatusOr<CpuProfile> Admin::Profile(uint32_t seconds) const {
  v1::ProfileRequest request;
  request.set_seconds(seconds);
  // The profile itself takes `seconds`; the timeout is for the rest of the call.
  const CallOptions call{.deadline = absl::Now() + absl::Seconds(seconds) + timeout_};
  const auto answer = calls_->Ask(&AdminStub::Profile, request, {}, call);
  if (!answer.ok()) return answer.status();
  return ToValue(*answer, calls_->server());
}

absl::StatusOr<std::vector<WatchedSession>> Admin::AskWatch(const std::string& tenant, const std::string& id,
                                                            uint32_t seconds, const CallOptions& call) const {
  v1::WatchSessionRequest request;
  request.set_tenant(tenant);
  request.set_session_id(id);
  request.set_seconds(seconds);
  request.set_stop(seconds == 0);
  const auto answer = calls_->Ask(&AdminStub::WatchSession, request, {tenant, id}, call);
  if (!answer.ok()) return answer.status();
  return ToValue(*answer, calls_->server());
}

absl::StatusOr<std::vector<WatchedSession>> Admin::Watch(const std::string& tenant, const std::string& id,
                                                         absl::Duration duration, const CallOptions& call) const {
  if (duration < absl::Seconds(1) || duration > absl::Hours(24)) {
    return absl::InvalidArgumentError(
        absl::StrCat("a session is watched for 1 s to 24 h, not for ", absl::FormatDuration(duration)));
  }
  return AskWatch(tenant, id, static_cast<uint32_t>(absl::ToInt64Seconds(duration)), call);
}

absl::StatusOr<std::vector<WatchedSession>> Admin::Unwatch(const std::string& tenant, const std::string& id,
                                                           const CallOptions& call) const {
  return AskWatch(tenant, id, 0, call);
}

}  // namespace aaren::client
