// aaren load: a server's throughput and latency.

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/commands/command.h"
#include "client/cli/flags/connection_flags.h"
#include "client/cli/flags/durability_flag.h"
#include "client/cli/terminal/interrupt.h"
#include "client/cli/terminal/report.h"
#include "client/cli/terminal/shown.h"
#include "client/load/load.h"

namespace aaren::cli {
namespace {

command_line::Flags Table(client::LoadOptions& load, ConnectionFlags& connection, DurabilityFlag& durability,
                          bool& json) {
  command_line::Flags flags(
      "aaren load --target=HOST:PORT [flags]",
      "Opens many sessions, streams a synthetic signal into them for a while, and reports throughput and\n"
      "latency. With --rate tokens fall due whatever the server does, and latency counts from then.");
  flags.Add("sessions", &load.sessions, "sessions, spread over the streams");
  flags.Add("streams", &load.streams, "connections, a thread each");
  flags.Add("points_per_message", &load.points_per_message, "tokens of a session in one item");
  flags.Add("window", &load.window, "items of a session unanswered, at most");
  flags.Add("rate", &load.rate, "tokens a second over all sessions; 0: as fast as the server answers");
  flags.Add("duration", &load.duration, "how long");
  flags.Add("channels", &load.channels, "series of a session");
  flags.Add("model", &load.model, "name, name:version or name@label; without it the server's default");
  durability.AddTo(flags);
  flags.Add("metrics", &load.metrics, "HOST:PORT of the server's /metrics, for its CPU time and memory");
  flags.Add("json", &json, "one JSON object");
  connection.AddTo(flags);
  return flags;
}

void PrintReport(const client::LoadReport& report) {
  const std::string again = report.resent > 0 ? absl::StrCat(" (and ", report.resent, " again)") : "";
  absl::PrintF("%.0f tokens/s over %.1f s: %d sent%s, %d answered, %d errors\n", report.tokens_per_second,
               report.seconds, report.sent, again, report.received, report.errors);
  const client::LoadReport::Latency& latency = report.latency_us;
  absl::PrintF("latency us   p50 %.0f   p90 %.0f   p99 %.0f   p99.9 %.0f   max %.0f\n", latency.p50, latency.p90,
               latency.p99, latency.p999, latency.max);
  if (report.server) {
    absl::PrintF("server       %.2f s of CPU, %.1f MB of memory\n", report.server->cpu_seconds,
                 static_cast<double>(report.server->rss_bytes) / 1e6);
  }
}

int Load(const client::LoadOptions& load, bool json) {
  std::optional<Interrupt> interrupt(std::in_place);
  const absl::StatusOr<client::LoadReport> report = client::RunLoad(load, &interrupt->stopped());
  const int signal = interrupt->signal();
  interrupt.reset();  // now a signal ends the program at once, even in a print that nobody reads
  if (!report.ok()) return Fail(FromServer(absl::StrCat("load at ", load.target), report.status()));
  if (json) {
    // The report may quote words of the server, which a terminal might obey.
    absl::PrintF("%s\n", EscapedJson(client::ToJson(*report)));
  } else {
    PrintReport(*report);
  }
  if (report->errors > 0) Say(absl::StrCat("load: ", report->errors, " errors; the first: ", report->first_error));
  if (signal != 0) return 128 + signal;
  return report->errors == 0 ? kSuccess : kFailure;
}

}  // namespace

int RunLoad(Arguments arguments) {
  client::LoadOptions load;
  ConnectionFlags connection;
  DurabilityFlag durability;
  bool json = false;
  const absl::StatusOr<command_line::Parsed> parsed = Table(load, connection, durability, json).Parse(arguments);
  if (!parsed.ok()) return FailUsage("load", parsed.status());
  if (!parsed->answer.empty()) return absl::PrintF("%s", parsed->answer), kSuccess;
  absl::StatusOr<client::ChannelOptions> channel = connection.Channel();
  if (!channel.ok()) return FailUsage("load", channel.status());
  // The default has to suit few sessions, too; a number that the user chose is checked as it stands.
  if (load.streams == client::LoadOptions().streams) load.streams = std::min(load.streams, std::max(1u, load.sessions));
  load.durability = durability.Durability();
  load.target = connection.target;
  load.channel = *std::move(channel);
  if (const absl::Status valid = client::CheckLoad(load); !valid.ok()) return FailUsage("load", valid);
  return Load(load, json);
}

}  // namespace aaren::cli
