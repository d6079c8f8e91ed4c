#include "client/cli/commands/debug/debug_tables.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/sources/time/timestamp.h"
#include "client/cli/terminal/report.h"
#include "client/cli/terminal/shown.h"

namespace aaren::cli {
namespace {

// The duration in about three digits: "250ms", "12.5s", "3h2m".
std::string Short(absl::Duration duration) {
  const absl::Duration unit = duration < absl::Milliseconds(10) ? absl::Microseconds(1)
                              : duration < absl::Seconds(10)    ? absl::Milliseconds(1)
                              : duration < absl::Minutes(10)    ? absl::Milliseconds(100)
                                                                : absl::Seconds(1);
  return absl::FormatDuration(absl::Trunc(duration, unit));
}

std::string Bytes(uint64_t bytes) {
  // A larger unit is used from ten of the unit on: no number loses its second digit.
  if (bytes < 10 << 10) return absl::StrCat(bytes, " B");
  if (bytes < 10 << 20) return absl::StrCat(bytes >> 10, " KiB");
  return absl::StrCat(bytes >> 20, " MiB");
}

}  // namespace

const char* StateOf(const client::SessionInfo& session) {
  if (!session.attached) return "resting";
  return session.resident ? "attached" : "demoted";
}

void PrintSettings(const client::ServerSettings& settings) {
  PrintLine(absl::StrFormat("aaren-server %s; * where a setting is not the default", settings.version));
  for (const client::Setting& setting : settings.settings) {
    PrintLine(absl::StrFormat("%c %s %s", setting.is_default ? ' ' : '*', Padded(setting.name, 24), setting.value));
  }
}

void PrintShards(const std::vector<client::ShardInfo>& shards) {
  absl::PrintF("%5s %8s %8s %8s %8s %8s %8s %10s %10s %14s %5s %8s\n", "shard", "streams", "attached", "resting",
               "demoted", "stalled", "queued", "unread", "held", "last slice", "busy", "round");
  for (const client::ShardInfo& shard : shards) {
    absl::PrintF("%5d %8d %8d %8d %8d %8d %8d %10s %10s %14s %4.0f%% %8s\n", shard.shard, shard.streams,
                 shard.sessions_attached, shard.sessions_resting, shard.sessions_demoted, shard.sessions_stalled,
                 shard.queued_tokens, Bytes(shard.unread_bytes), Bytes(shard.held_bytes),
                 absl::StrCat(shard.slice_tokens, " in ", Short(shard.slice)), 100 * shard.busy, Short(shard.round));
  }
  absl::PrintF("\n%5s %-32s %-6s %12s %12s %10s %10s\n", "shard", "rows of", "tier", "used", "free", "row bytes",
               "in all");
  for (const client::ShardInfo& shard : shards) {
    for (const client::ModelRows& rows : shard.rows) {
      PrintLine(absl::StrFormat("%5d %s %s %12d %12d %10d %10s", shard.shard, Padded(rows.model, 32),
                                Padded(rows.tier, 6), rows.used, rows.free, rows.row_bytes,
                                Bytes(rows.used * rows.row_bytes)));
    }
  }
}

void PrintStreamHeader() {
  absl::PrintF("%5s %8s %-24s %-16s %-6s %8s %8s %10s %10s %8s  %s\n", "shard", "stream", "peer", "tenant", "role",
               "age", "sessions", "queued", "unread", "since", "read from");
}

void PrintStream(const client::StreamInfo& stream) {
  // printf counts bytes, so names of strangers are padded by their columns on the terminal.
  PrintLine(absl::StrFormat("%5d %8d %s %s %s %8s %8d %10s %10s %8s  %s", stream.shard, stream.number,
                            Padded(stream.peer, 24), Padded(stream.tenant, 16), Padded(stream.role, 6),
                            Short(stream.age), stream.sessions, Bytes(stream.queued_bytes), Bytes(stream.unread_bytes),
                            stream.unread_bytes > 0 ? Short(stream.unread) : "-", stream.reading ? "yes" : "no"));
}

void PrintLiveSessionHeader() {
  absl::PrintF("%-32s %-8s %5s %10s %10s %8s %8s %11s  %-24s  %s\n", "session", "state", "shard", "next seq", "durable",
               "queued", "channels", "state bytes", "last active", "model");
}

void PrintLiveSession(const client::LiveSession& live) {
  const client::SessionInfo& session = live.session;
  // The store alone knows the last activity of a demoted session: the server says 1970.
  const bool dated = session.last_active > absl::UnixEpoch();
  PrintLine(absl::StrFormat("%s %-8s %5d %10d %10d %8d %8d %11d  %-24s  %s%s", Padded(session.id, 32), StateOf(session),
                            live.shard, session.next_seq, session.durable_seq, live.queued_tokens, session.channels,
                            session.state_bytes, dated ? FormatTimestamp(absl::ToUnixNanos(session.last_active)) : "-",
                            session.model, live.stalled ? " (waits for the store)" : ""));
}

void PrintWatched(const std::vector<client::WatchedSession>& sessions) {
  absl::PrintF("%-16s %-32s %12s %10s\n", "tenant", "watched session", "tokens", "left");
  for (const client::WatchedSession& session : sessions) {
    PrintLine(absl::StrFormat("%s %s %12d %10s", Padded(session.tenant, 16), Padded(session.id, 32), session.tokens,
                              Short(session.left)));
  }
}

}  // namespace aaren::cli
