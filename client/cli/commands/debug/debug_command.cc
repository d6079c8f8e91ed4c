// aaren debug: the inside of a running server, from its admin address.

#include <string>
#include <utility>
#include <vector>

#include "aaren/client/admin.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "client/cli/commands/command.h"
#include "client/cli/commands/debug/debug_json.h"
#include "client/cli/commands/debug/debug_tables.h"
#include "client/cli/commands/debug/profile_table.h"
#include "client/cli/commands/pages.h"
#include "client/cli/commands/service_error.h"
#include "client/cli/flags/connection_flags.h"
#include "client/cli/terminal/report.h"

namespace aaren::cli {
namespace {

constexpr char kAdminTarget[] = "127.0.0.1:7862";  // the customary address; a server has no admin address by default
// The largest page that a server gives.
constexpr uint32_t kDebugPage = 200;

// An invocation of the command.
class DebugCommand {
 public:
  int Run(Arguments arguments);

 private:
  command_line::Flags Table();
  int Ask(const std::string& verb, const client::Admin& admin);
  int AskAbout(const std::string& verb, const std::vector<std::string>& of, const client::Admin& admin);

  int Settings(const client::Admin& admin) const;
  int Shards(const client::Admin& admin) const;
  int Streams(const client::Admin& admin) const;
  int Sessions(const client::Admin& admin, const std::string& tenant) const;
  int Profile(const client::Admin& admin) const;
  int Watch(const client::Admin& admin, const std::string& tenant, const std::string& id) const;
  int Unwatch(const client::Admin& admin, const std::string& tenant, const std::string& id) const;
  int TellWatched(const absl::StatusOr<std::vector<client::WatchedSession>>& sessions) const;

  int FailAsked(const absl::Status& status) const;

  ConnectionFlags connection_;
  client::ServiceOptions server_;
  bool json_ = false, folded_ = false;
  int seconds_ = 10;
  absl::Duration watch_ = absl::Hours(1);
  std::string asked_;  // the verb and its operands
};

// Many users try the service's public address first.
int DebugCommand::FailAsked(const absl::Status& status) const {
  if (absl::IsUnimplemented(status)) {
    return Fail(FromServer(
        asked_, absl::UnimplementedError(absl::StrCat(server_.target,
                                                      " is no admin address: --target has to be what the server was "
                                                      "given as admin_address"))));
  }
  return Fail(ServiceError(asked_, server_.target, status));
}

int DebugCommand::Settings(const client::Admin& admin) const {
  const auto settings = admin.Settings();
  if (!settings.ok()) return FailAsked(settings.status());
  if (!json_) return PrintSettings(*settings), kSuccess;
  for (const client::Setting& setting : settings->settings) absl::PrintF("%s\n", ToJson(setting));
  return kSuccess;
}

int DebugCommand::Shards(const client::Admin& admin) const {
  const auto shards = admin.Shards();
  if (!shards.ok()) return FailAsked(shards.status());
  if (!json_) return PrintShards(*shards), kSuccess;
  for (const client::ShardInfo& shard : *shards) absl::PrintF("%s\n", ToJson(shard));
  return kSuccess;
}

int DebugCommand::Streams(const client::Admin& admin) const {
  // The header comes with the first page, so a refused call prints none.
  const auto ask = [&, first = true](const std::string& page_token) mutable {
    auto page = admin.Streams(page_token, kDebugPage);
    if (page.ok() && std::exchange(first, false) && !json_) PrintStreamHeader();
    return page;
  };
  // Streams ascend by shard and then by number.
  const auto key = [](const client::StreamInfo& stream) { return std::pair(stream.shard, stream.number); };
  const absl::Status status =
      ForEachEntry(server_.target, &client::StreamPage::streams, ask, key, [this](const client::StreamInfo& stream) {
        json_ ? (void)absl::PrintF("%s\n", ToJson(stream)) : PrintStream(stream);
      });
  return status.ok() ? kSuccess : FailAsked(status);
}

int DebugCommand::Sessions(const client::Admin& admin, const std::string& tenant) const {
  const auto ask = [&, first = true](const std::string& page_token) mutable {
    auto page = admin.Sessions(tenant, page_token, kDebugPage);
    if (page.ok() && std::exchange(first, false) && !json_) PrintLiveSessionHeader();
    return page;
  };
  const auto key = [](const client::LiveSession& live) { return live.session.id; };
  const absl::Status status = ForEachEntry(server_.target, &client::LiveSessionPage::sessions, ask, key,
                                           [this](const client::LiveSession& live) {
                                             json_ ? (void)absl::PrintF("%s\n", ToJson(live)) : PrintLiveSession(live);
                                           });
  return status.ok() ? kSuccess : FailAsked(status);
}

int DebugCommand::Profile(const client::Admin& admin) const {
  const auto profile = admin.Profile(static_cast<uint32_t>(seconds_));
  if (!profile.ok()) return FailAsked(profile.status());
  if (json_) return absl::PrintF("%s", ProfileToJson(profile->folded)), kSuccess;
  if (!folded_) return PrintProfile(*profile), kSuccess;
  // Line by line, since PrintLine escapes characters that a terminal obeys.
  for (const absl::string_view line : absl::StrSplit(profile->folded, '\n', absl::SkipEmpty())) PrintLine(line);
  return kSuccess;
}

int DebugCommand::Watch(const client::Admin& admin, const std::string& tenant, const std::string& id) const {
  return TellWatched(admin.Watch(tenant, id, watch_));
}

int DebugCommand::Unwatch(const client::Admin& admin, const std::string& tenant, const std::string& id) const {
  return TellWatched(admin.Unwatch(tenant, id));
}

int DebugCommand::TellWatched(const absl::StatusOr<std::vector<client::WatchedSession>>& sessions) const {
  if (!sessions.ok()) return FailAsked(sessions.status());
  if (!json_) return PrintWatched(*sessions), kSuccess;
  for (const client::WatchedSession& session : *sessions) absl::PrintF("%s\n", ToJson(session));
  return kSuccess;
}

command_line::Flags DebugCommand::Table() {
  command_line::Flags flags(
      "aaren debug settings | shards | streams | sessions TENANT | profile | watch TENANT ID | unwatch TENANT ID",
      "Tells what goes on inside a running server. --target is its admin_address.");
  flags.AddVerb("settings", {}, "every setting as it holds");
  flags.AddVerb("shards", {}, "what each core does, and its rows");
  flags.AddVerb("streams", {}, "the streams that are open");
  flags.AddVerb("sessions", {"TENANT"}, "a tenant's sessions that are here; \"default\" where nobody is told apart");
  flags.AddVerb("profile", {}, "which functions the CPU time goes to");
  flags.AddVerb("watch", {"TENANT", "ID"}, "has the server's metrics tell of one session, for a while");
  flags.AddVerb("unwatch", {"TENANT", "ID"}, "no longer");
  flags.RequireVerb();
  flags.Add("json", &json_, "one JSON object a line");
  flags.Add("seconds", &seconds_, "profile: how long, 1 to 30");
  flags.Add("for", &watch_, "watch: how long, 1s to 24h");
  flags.Add("folded", &folded_, "profile: one stack a line, as flame graphs are drawn from");
  flags.Add("timeout", &server_.timeout, "give up if no answer comes for so long; profile: beside --seconds");
  connection_.target = kAdminTarget;
  connection_.AddTo(flags);
  return flags;
}

int DebugCommand::Ask(const std::string& verb, const client::Admin& admin) {
  if (verb == "settings") return Settings(admin);
  if (verb == "shards") return Shards(admin);
  if (verb == "streams") return Streams(admin);
  return Profile(admin);
}

int DebugCommand::AskAbout(const std::string& verb, const std::vector<std::string>& of, const client::Admin& admin) {
  if (verb == "watch") return Watch(admin, of[0], of[1]);
  if (verb == "unwatch") return Unwatch(admin, of[0], of[1]);
  return Sessions(admin, of[0]);
}

int DebugCommand::Run(Arguments arguments) {
  const absl::StatusOr<command_line::Parsed> parsed = Table().Parse(arguments);
  if (!parsed.ok()) return FailUsage("debug", parsed.status());
  if (!parsed->answer.empty()) return absl::PrintF("%s", parsed->answer), kSuccess;
  if (seconds_ < 1 || seconds_ > 30) {
    return FailUsage("debug",
                     absl::InvalidArgumentError(absl::StrCat("--seconds=", seconds_, " is not within 1 .. 30")));
  }
  if (watch_ < absl::Seconds(1) || watch_ > absl::Hours(24)) {
    return FailUsage("debug", absl::InvalidArgumentError(
                                  absl::StrCat("--for=", absl::FormatDuration(watch_), " is not within 1s .. 24h")));
  }
  absl::StatusOr<client::ChannelOptions> channel = connection_.Channel();
  if (!channel.ok()) return FailUsage("debug", channel.status());
  server_.target = connection_.target;
  server_.channel = *std::move(channel);
  asked_ = absl::StrCat("debug ", parsed->verb);
  const client::Admin admin(server_);
  if (parsed->operands.empty()) return Ask(parsed->verb, admin);
  asked_ = absl::StrCat("debug ", parsed->verb, " ", absl::StrJoin(parsed->operands, " "));
  return AskAbout(parsed->verb, parsed->operands, admin);
}

}  // namespace

int RunDebug(Arguments arguments) { return DebugCommand().Run(arguments); }

}  // namespace aaren::cli
