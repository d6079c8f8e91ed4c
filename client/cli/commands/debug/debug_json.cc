#include "client/cli/commands/debug/debug_json.h"

#include "client/cli/commands/debug/debug_tables.h"
#include "client/cli/terminal/json.h"

namespace aaren::cli {

std::string ToJson(const client::Setting& setting) {
  std::string out;
  JsonObject(out).Add("name", setting.name).Add("value", setting.value).Add("is_default", setting.is_default).Close();
  return out;
}

std::string ToJson(const client::ShardInfo& shard) {
  std::string out;
  JsonObject object(out);
  object.Add("shard", shard.shard).Add("streams", shard.streams);
  object.Add("sessions_attached", shard.sessions_attached).Add("sessions_resting", shard.sessions_resting);
  object.Add("sessions_demoted", shard.sessions_demoted).Add("sessions_stalled", shard.sessions_stalled);
  object.Add("queued_tokens", shard.queued_tokens).Add("queued_bytes", shard.queued_bytes);
  object.Add("unread_bytes", shard.unread_bytes).Add("held_bytes", shard.held_bytes);
  object.Add("slice_tokens", shard.slice_tokens).Add("slice_us", absl::ToInt64Microseconds(shard.slice));
  object.Add("busy", shard.busy).Add("round_ms", absl::ToInt64Milliseconds(shard.round));
  object.Key("rows");
  out += '[';
  for (const client::ModelRows& rows : shard.rows) {
    if (out.back() != '[') out += ',';
    JsonObject(out)
        .Add("model", rows.model)
        .Add("used", rows.used)
        .Add("free", rows.free)
        .Add("row_bytes", rows.row_bytes)
        .Add("tier", rows.tier)
        .Close();
  }
  out += ']';
  object.Close();
  return out;
}

std::string ToJson(const client::StreamInfo& stream) {
  std::string out;
  JsonObject object(out);
  object.Add("shard", stream.shard).Add("number", stream.number).Add("peer", stream.peer);
  object.Add("tenant", stream.tenant).Add("role", stream.role);
  object.Add("age_ms", absl::ToInt64Milliseconds(stream.age)).Add("sessions", stream.sessions);
  object.Add("queued_bytes", stream.queued_bytes).Add("unread_bytes", stream.unread_bytes);
  object.Add("unread_ms", absl::ToInt64Milliseconds(stream.unread)).Add("reading", stream.reading).Close();
  return out;
}

std::string ToJson(const client::LiveSession& live) {
  const client::SessionInfo& session = live.session;
  std::string out;
  JsonObject object(out);
  object.Add("session_id", session.id).Add("state", StateOf(session)).Add("shard", live.shard);
  object.Add("next_seq", session.next_seq).Add("durable_seq", session.durable_seq);
  object.Add("delivered_seq", session.delivered_seq).Add("epoch", session.epoch);
  object.Add("model", session.model).Add("tier", session.tier);
  object.Add("channels", session.channels).Add("state_bytes", session.state_bytes);
  object.Add("queued_tokens", live.queued_tokens).Add("stalled", live.stalled);
  object.Add("last_active_ms", absl::ToUnixMillis(session.last_active)).Close();
  return out;
}

std::string ToJson(const client::WatchedSession& watched) {
  std::string out;
  JsonObject object(out);
  object.Add("tenant", watched.tenant).Add("session_id", watched.id).Add("tokens", watched.tokens);
  object.Add("left_ms", absl::ToInt64Milliseconds(watched.left)).Close();
  return out;
}

}  // namespace aaren::cli
