#include "aaren/client/admin.h"

#include <utility>

#include "aaren/v1/admin.grpc.pb.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "client/cpp/messages/values.h"
#include "client/cpp/unary/unary.h"

namespace aaren::client {
namespace {

using AdminStub = v1::Admin::Stub;

absl::Duration Milliseconds(uint64_t number) { return absl::Milliseconds(static_cast<int64_t>(number)); }

ShardInfo ToShard(const v1::ShardInfo& message) {
  ShardInfo shard{.shard = message.shard(),
                  .sessions_attached = message.sessions_attached(),
                  .sessions_resting = message.sessions_resting(),
                  .sessions_demoted = message.sessions_demoted(),
                  .sessions_stalled = message.sessions_stalled(),
                  .streams = message.streams(),
                  .queued_tokens = message.queued_tokens(),
                  .queued_bytes = message.queued_bytes(),
                  .unread_bytes = message.unread_bytes(),
                  .held_bytes = message.held_bytes(),
                  .slice_tokens = message.slice_tokens(),
                  .slice = absl::Microseconds(static_cast<int64_t>(message.slice_us())),
                  .busy = message.busy(),
                  .round = Milliseconds(message.round_ms())};
  for (const v1::ModelRows& rows : message.rows()) {
    shard.rows.push_back({rows.model(), rows.used(), rows.free(), rows.row_bytes(), rows.tier()});
  }
  return shard;
}

StreamInfo ToStream(const v1::StreamInfo& message) {
  return {.shard = message.shard(),
          .number = message.number(),
          .peer = message.peer(),
          .tenant = message.tenant(),
          .role = message.role(),
          .age = Milliseconds(message.age_ms()),
          .sessions = message.sessions(),
          .queued_bytes = message.queued_bytes(),
          .unread_bytes = message.unread_bytes(),
          .unread = Milliseconds(message.unread_ms()),
          .reading = message.reading()};
}

}  // namespace

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
  ServerSettings settings{.version = answer->version()};
  for (const v1::Setting& setting : answer->settings()) {
    settings.settings.push_back({setting.name(), setting.value(), setting.is_default()});
  }
  return settings;
}

absl::StatusOr<std::vector<ShardInfo>> Admin::Shards(const CallOptions& call) const {
  const auto answer = calls_->Ask(&AdminStub::ListShards, v1::ListShardsRequest(), {}, call);
  if (!answer.ok()) return answer.status();
  std::vector<ShardInfo> shards;
  for (const v1::ShardInfo& shard : answer->shards()) shards.push_back(ToShard(shard));
  return shards;
}

absl::StatusOr<StreamPage> Admin::Streams(const std::string& page_token, uint32_t page_size,
                                          const CallOptions& call) const {
  v1::ListStreamsRequest request;
  request.set_page_token(page_token);
  request.set_page_size(page_size);
  const auto answer = calls_->Ask(&AdminStub::ListStreams, request, {}, call);
  if (!answer.ok()) return answer.status();
  StreamPage page{.next_page_token = answer->next_page_token()};
  for (const v1::StreamInfo& stream : answer->streams()) page.streams.push_back(ToStream(stream));
  return page;
}

absl::StatusOr<LiveSessionPage> Admin::Sessions(const std::string& tenant, const std::string& page_token,
                                                uint32_t page_size, const CallOptions& call) const {
  v1::ListTenantSessionsRequest request;
  request.set_tenant(tenant);
  request.set_page_token(page_token);
  request.set_page_size(page_size);
  const auto answer = calls_->Ask(&AdminStub::ListTenantSessions, request, {tenant}, call);
  if (!answer.ok()) return answer.status();
  LiveSessionPage page{.next_page_token = answer->next_page_token()};
  for (const v1::LiveSession& live : answer->sessions()) {
    page.sessions.push_back({ToValue(live.session()), live.shard(), live.queued_tokens(), live.stalled()});
  }
  return page;
}

absl::StatusOr<CpuProfile> Admin::Profile(uint32_t seconds) const {
  v1::ProfileRequest request;
  request.set_seconds(seconds);
  const CallOptions call{.deadline = absl::Now() + absl::Seconds(seconds) + timeout_};
  const auto answer = calls_->Ask(&AdminStub::Profile, request, {}, call);
  if (!answer.ok()) return answer.status();
  return CpuProfile{.folded = answer->folded(),
                    .samples = answer->samples(),
                    .dropped = answer->dropped(),
                    .interval = absl::Milliseconds(answer->interval_ms())};
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
  std::vector<WatchedSession> sessions;
  for (const v1::WatchedSession& one : answer->sessions()) {
    sessions.push_back({one.tenant(), one.session_id(), one.tokens(), Milliseconds(one.left_ms())});
  }
  return sessions;
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
