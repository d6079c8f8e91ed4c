// aaren: the command line of Aaren Serve. aaren --help lists the subcommands.

#include <grpc/support/log.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/synchronization/mutex.h"
#include "client/cli/commands/command.h"
#include "client/cli/flags/flags.h"
#include "client/cli/terminal/report.h"

namespace {

using aaren::cli::Arguments;

struct Subcommand {
  const char* name;
  const char* summary;
  int (*run)(Arguments arguments);
};

constexpr Subcommand kSubcommands[] = {
    {"stream", "stream a CSV file, standard input or this machine's load; a forecast per row", aaren::cli::RunStream},
    {"evaluate", "score forecasts of CSV files beside naive ones", aaren::cli::RunEvaluate},
    {"sessions", "list, get, delete, export, import, fork", aaren::cli::RunSessions},
    {"models", "list, get", aaren::cli::RunModels},
    {"load", "measure throughput and latency", aaren::cli::RunLoad}};

void PrintHelp(std::FILE* out) {
  absl::FPrintF(out, "aaren SUBCOMMAND --target=HOST:PORT [flags]\n\n");
  for (const Subcommand& command : kSubcommands) absl::FPrintF(out, "  %-10s %s\n", command.name, command.summary);
  absl::FPrintF(out, "\naaren SUBCOMMAND --help tells more.\n");
}

int Unknown(const std::string& name) {
  std::vector<std::string> names;
  for (const Subcommand& command : kSubcommands) names.emplace_back(command.name);
  aaren::cli::Say(absl::StrCat("unknown subcommand \"", name, "\"", aaren::cli::DidYouMean(name, names)));
  PrintHelp(stderr);
  return aaren::cli::kUsageError;
}

}  // namespace

// Output that did not arrive is a failure, whatever else was well.
int Flushed(int status) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  if (status == 0) aaren::cli::Say(absl::StrCat("cannot write to standard output: ", std::strerror(errno)));
  return status == 0 ? 1 : status;
}

int main(int argc, char** argv) {
  // gRPC and this program lock in orders that the detector takes for cycles, at a price per lock.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  // What gRPC logs of a failed connection is in the status, too, which is said once and not over the live view.
  if (std::getenv("GRPC_VERBOSITY") == nullptr) gpr_set_log_function([](gpr_log_func_args*) {});
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty()) return PrintHelp(stderr), aaren::cli::kUsageError;
  if (words[0] == "--help" || words[0] == "-h" || words[0] == "help") return PrintHelp(stdout), Flushed(0);
  for (const Subcommand& command : kSubcommands) {
    if (words[0] == command.name) return Flushed(command.run(Arguments(words).subspan(1)));
  }
  return Unknown(words[0]);
}
