#include "client/cpp/messages/admin_values.h"

#include <utility>

#include "client/cpp/messages/claims.h"
#include "client/cpp/messages/values.h"

namespace aaren::client {
namespace {

constexpr absl::Duration kMs = absl::Milliseconds(1);

ModelRows ToRows(const v1::ModelRows& message, Claims& claims) {
  // The product of the numbers is shown.
  constexpr uint64_t kMost = uint64_t{1} << 31;
  return {.model = message.model(),
          .used = claims.Within<uint64_t>("used", message.used(), 0, kMost),
          .free = claims.Within<uint64_t>("free", message.free(), 0, kMost),
          .row_bytes = claims.Within<uint64_t>("row_bytes", message.row_bytes(), 0, kMost),
          .tier = message.tier()};
}

ShardInfo ToShard(const v1::ShardInfo& message, Claims& claims) {
  return {.shard = message.shard(),
          .sessions_attached = claims.Count("sessions_attached", message.sessions_attached()),
          .sessions_resting = claims.Count("sessions_resting", message.sessions_resting()),
          .sessions_demoted = claims.Count("sessions_demoted", message.sessions_demoted()),
          .sessions_stalled = claims.Count("sessions_stalled", message.sessions_stalled()),
          .streams = claims.Count("streams", message.streams()),
          .queued_tokens = claims.Count("queued_tokens", message.queued_tokens()),
          .queued_bytes = claims.Count("queued_bytes", message.queued_bytes()),
          .unread_bytes = claims.Count("unread_bytes", message.unread_bytes()),
          .held_bytes = claims.Count("held_bytes", message.held_bytes()),
          .slice_tokens = claims.Count("slice_tokens", message.slice_tokens()),
          .slice = claims.Time("slice_us", message.slice_us(), absl::Microseconds(1)),
          .busy = claims.Within("busy", message.busy(), 0.0, 1.0),
          .round = claims.Time("round_ms", message.round_ms(), kMs)};
}

StreamInfo ToStream(const v1::StreamInfo& message, Claims& claims) {
  return {.shard = message.shard(),
          .number = claims.Count("number", message.number()),
          .peer = message.peer(),
          .tenant = message.tenant(),
          .role = message.role(),
          .age = claims.Time("age_ms", message.age_ms(), kMs),
          .sessions = claims.Count("sessions", message.sessions()),
          .queued_bytes = claims.Count("queued_bytes", message.queued_bytes()),
          .unread_bytes = claims.Count("unread_bytes", message.unread_bytes()),
          .unread = claims.Time("unread_ms", message.unread_ms(), kMs),
          .reading = message.reading()};
}

}  // namespace

absl::StatusOr<ServerSettings> ToValue(const v1::GetSettingsResponse& message, absl::string_view server) {
  Claims claims(server, "Setting");
  ServerSettings settings{.version = message.version()};
  for (const v1::Setting& setting : message.settings()) {
    settings.settings.push_back({claims.Name("name", setting.name()), setting.value(), setting.is_default()});
  }
  return claims.Made(std::move(settings));
}

absl::StatusOr<std::vector<ShardInfo>> ToValue(const v1::ListShardsResponse& message, absl::string_view server) {
  Claims claims(server, "ShardInfo");
  Claims rows(server, "ModelRows");
  std::vector<ShardInfo> shards;
  for (const v1::ShardInfo& shard : message.shards()) {
    shards.push_back(ToShard(shard, claims));
    for (const v1::ModelRows& one : shard.rows()) shards.back().rows.push_back(ToRows(one, rows));
  }
  if (!rows.status().ok()) return rows.status();
  return claims.Made(std::move(shards));
}

absl::StatusOr<StreamPage> ToValue(const v1::ListStreamsResponse& message, absl::string_view server) {
  Claims claims(server, "StreamInfo");
  StreamPage page{.next_page_token = message.next_page_token()};
  for (const v1::StreamInfo& stream : message.streams()) page.streams.push_back(ToStream(stream, claims));
  return claims.Made(std::move(page));
}

absl::StatusOr<LiveSessionPage> ToValue(const v1::ListTenantSessionsResponse& message, absl::string_view server) {
  Claims claims(server, "LiveSession");
  LiveSessionPage page{.next_page_token = message.next_page_token()};
  for (const v1::LiveSession& live : message.sessions()) {
    absl::StatusOr<SessionInfo> session = ToValue(live.session(), server);
    if (!session.ok()) return session.status();
    page.sessions.push_back(
        {*std::move(session), live.shard(), claims.Count("queued_tokens", live.queued_tokens()), live.stalled()});
  }
  return claims.Made(std::move(page));
}

absl::StatusOr<CpuProfile> ToValue(const v1::ProfileResponse& message, absl::string_view server) {
  Claims claims(server, "ProfileResponse");
  return claims.Made(CpuProfile{.folded = message.folded(),
                                .samples = claims.Count("samples", message.samples()),
                                .dropped = claims.Count("dropped", message.dropped()),
                                .interval = claims.Time("interval_ms", message.interval_ms(), kMs)});
}

absl::StatusOr<std::vector<WatchedSession>> ToValue(const v1::WatchSessionResponse& message, absl::string_view server) {
  Claims claims(server, "WatchedSession");
  std::vector<WatchedSession> sessions;
  for (const v1::WatchedSession& one : message.sessions()) {
    sessions.push_back({one.tenant(), claims.Name("session_id", one.session_id()), claims.Count("tokens", one.tokens()),
                        claims.Time("left_ms", one.left_ms(), kMs)});
  }
  return claims.Made(std::move(sessions));
}

}  // namespace aaren::client
