// aaren health: whether a server serves, as an exit status for probes and a word for people.

#include <string>

#include "aaren/client/health.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/commands/command.h"
#include "client/cli/commands/service_error.h"
#include "client/cli/flags/connection_flags.h"
#include "client/cli/terminal/report.h"

namespace aaren::cli {
namespace {

int Check(const client::ServiceOptions& server, const std::string& service) {
  const auto serves = client::Health(server).Serves(service);
  const std::string what = service.empty() ? "health" : absl::StrCat("health of ", service);
  if (!serves.ok()) return Fail(ServiceError(what, server.target, serves.status()));
  absl::PrintF("%s\n", *serves ? "serving" : "not serving");
  return *serves ? kSuccess : kFailure;
}

}  // namespace

int RunHealth(Arguments arguments) {
  ConnectionFlags connection;
  // A probe waits for a shorter time than a person.
  client::ServiceOptions server{.timeout = absl::Seconds(5)};
  std::string service;
  command_line::Flags flags("aaren health --target=HOST:PORT [flags]",
                            "Asks whether a server serves. The exit status is 0 if it does, else 1. Needs no token.");
  flags.Add("service", &service,
            "ask for one service: aaren.v1.Streaming does not serve while the store is away; empty: the server itself");
  flags.Add("timeout", &server.timeout, "give up if no answer comes for so long");
  connection.AddTo(flags);
  const absl::StatusOr<command_line::Parsed> parsed = flags.Parse(arguments);
  if (!parsed.ok()) return FailUsage("health", parsed.status());
  if (!parsed->answer.empty()) return absl::PrintF("%s", parsed->answer), kSuccess;
  absl::StatusOr<client::ChannelOptions> channel = connection.Channel();
  if (!channel.ok()) return FailUsage("health", channel.status());
  server.target = connection.target;
  server.channel = *std::move(channel);
  return Check(server, service);
}

}  // namespace aaren::cli
