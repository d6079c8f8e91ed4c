// aaren: the command line of Aaren Serve. aaren --help lists the subcommands.

#include <grpc/support/log.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/synchronization/mutex.h"
#include "client/cli/commands/command.h"
#include "client/cli/terminal/report.h"
#include "model/command_line/standard_streams.h"

namespace {

using aaren::cli::Arguments;
using aaren::command_line::Flags;

struct Subcommand {
  const char* name;
  const char* summary;
  int (*run)(Arguments arguments);
};

constexpr Subcommand kSubcommands[] = {
    {"stream", "stream a CSV file, standard input or this machine's load; a forecast per row", aaren::cli::RunStream},
    {"evaluate", "score forecasts of CSV files beside naive ones", aaren::cli::RunEvaluate},
    {"sessions", "list, get, delete, export, import, fork, move, evict", aaren::cli::RunSessions},
    {"models", "list, get", aaren::cli::RunModels},
    {"health", "whether a server serves, as an exit status", aaren::cli::RunHealth},
    {"debug", "settings, shards, streams, sessions of a tenant, a profile of a running server", aaren::cli::RunDebug},
    {"load", "measure throughput and latency", aaren::cli::RunLoad}};

Flags Table() {
  Flags flags("aaren SUBCOMMAND --target=HOST:PORT [flags]", "aaren SUBCOMMAND --help tells more.");
  flags.AddVersion("aaren " AAREN_VERSION);
  for (const Subcommand& command : kSubcommands) flags.AddVerb(command.name, {}, command.summary);
  return flags;
}

int FailUsage(const std::string& why) {
  if (!why.empty()) aaren::cli::Say(why);
  std::fputs(Table().Help().c_str(), stderr);
  return aaren::cli::kUsageError;
}

// The first word names the subcommand, which reads the rest.
int Run(Arguments words) {
  const auto parsed = Table().Parse(words.subspan(0, 1));
  if (!parsed.ok()) return FailUsage(std::string(parsed.status().message()));
  if (!parsed->answer.empty()) return absl::PrintF("%s", parsed->answer), 0;
  for (const Subcommand& command : kSubcommands) {
    if (parsed->verb == command.name) return command.run(words.subspan(1));
  }
  return FailUsage("");
}

}  // namespace

// Output that did not arrive is a failure, whatever else succeeded.
int Flushed(int status) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  if (status == 0) aaren::cli::Say(absl::StrCat("cannot write to standard output: ", std::strerror(errno)));
  return status == 0 ? 1 : status;
}

int main(int argc, char** argv) {
  aaren::command_line::HoldStandardStreams();
  // gRPC and this program lock in orders that look like cycles to the detector, which costs time per lock.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  // gRPC's log lines about a failed connection are also in the status, which is printed once and not over the live
  // view.
  if (std::getenv("GRPC_VERBOSITY") == nullptr) gpr_set_log_function([](gpr_log_func_args*) {});
  std::vector<std::string> words(argv + 1, argv + argc);
  if (!words.empty() && words[0] == "help") words[0] = "--help";
  return Flushed(Run(words));
}
