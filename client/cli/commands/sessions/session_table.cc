#include "client/cli/commands/sessions/session_table.h"

#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "client/cli/sources/time/timestamp.h"
#include "client/cli/terminal/json.h"
#include "client/cli/terminal/report.h"
#include "client/cli/terminal/shown.h"

namespace aaren::cli {

std::string SessionJson(const client::SessionInfo& session) {
  std::string out;
  JsonObject object(out);
  object.Add("session_id", session.id).Add("next_seq", session.next_seq);
  object.Add("durable_seq", session.durable_seq).Add("delivered_seq", session.delivered_seq);
  object.Add("epoch", session.epoch).Add("incarnation", session.incarnation);
  object.Add("model", session.model).Add("package_digest", session.package_digest);
  object.Add("tier", session.tier).Add("numerics_version", session.numerics_version);
  object.Add("channels", session.channels).Add("state_bytes", session.state_bytes);
  object.Add("attached", session.attached).Add("resident", session.resident);
  object.Add("last_active_ms", absl::ToUnixMillis(session.last_active)).Add("server", session.server).Close();
  return out;
}

void PrintSessionHeader() {
  absl::PrintF("%-32s %10s %10s %8s %11s  %-8s  %-24s  %s\n", "session", "next seq", "durable", "channels",
               "state bytes", "attached", "last active", "model");
}

void PrintSession(const client::SessionInfo& session) {
  PrintLine(absl::StrFormat("%s %10d %10d %8d %11d  %-8s  %-24s  %s", Padded(session.id, 32), session.next_seq,
                            session.durable_seq, session.channels, session.state_bytes, session.attached ? "yes" : "no",
                            FormatTimestamp(absl::ToUnixNanos(session.last_active)), session.model));
}

}  // namespace aaren::cli
