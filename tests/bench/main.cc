// aaren-bench [NAME] [--json] [--output=DIR] [--against=SERVER]: runs one bench and prints its table. Without a name
// the program lists the benches. --against=SERVER measures this build's server beside another build's
// aaren-bench-server.

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "model/command_line/flags.h"
#include "tests/bench/bench.h"

namespace aaren::bench {
namespace {

const Bench kBenches[] = {
    {"step", "the step engine on one core: microseconds by tokens in a call, beside its roofs and LibTorch",
     RunStepBench, kStepNote},
    {"silent", "tokens of the step engine whose forecast nobody wants: folds, probes, and those that are neither",
     RunSilentBench, kSilentNote},
    {"rates", "how far intervals and alerts hold: 40 series of each kind, whole and with holes", RunRatesBench,
     kRatesNote},
    {"optimum", "the error of the bundled model over that of the best forecast, of processes whose best is known",
     RunOptimumBench, kOptimumNote},
    {"device", "a GPU's kernel, counted on this CPU: what a tile of tokens takes of each part, and so at least of time",
     RunDeviceBench, kDeviceNote},
    {"numerics", "the error of a state after a hundred million tokens, beside the paper's in floats, and its cost",
     RunNumericsBench, kNumericsNote},
#ifdef AAREN_WITH_SERVER
    {"age", "one session through a million tokens: memory and time at both ends", RunAgeBench},
    {"events", "events of the bundled model on one core: microseconds by events in a call, with and without a reply",
     RunEventsBench, kEventsNote},
    {"rpc", "the server with an echo for a model against a bare gRPC echo; streams against sessions; memory",
     RunRpcBench, "", nullptr, RunRpcAgainst},
    {"server", "the server with its model beside the model and the messages alone; a second shard", RunServerBench,
     kServerNote},
    {"state", "random sessions of two million beside a thousand hot ones; the memory of an idle session", RunStateBench,
     kStateNote},
    {"store", "saves and loads a second of each store against a bare RocksDB or Redis", RunStoreBench, kStoreNote},
    {"tiers", "many sessions, few of them active: memory of each tier, and the way back from the store", RunTiersBench,
     kTiersNote},
#endif
#ifdef AAREN_WITH_TRAINING
    {"scan", "the fused scan against Hillis-Steele, cumulative tensor ops, causal attention and a copy of memory",
     RunScanBench, kScanNote},
    {"streaming", "10,000 tokens one at a time through each sequence mixer: memory and time, with a figure (--output)",
     RunStreamingBench, kStreamingNote, SaveStreaming},
#endif
};

struct Arguments {
  bool json = false;    // instead of tables
  std::string output;   // the folder for files; empty: none
  std::string against;  // another build's server; empty: none
};

int List() {
  for (const Bench& bench : kBenches) std::printf("%-12s %s\n", bench.name.c_str(), bench.summary.c_str());
  return 0;
}

int Fail(const Bench& bench, const absl::Status& status) {
  std::fprintf(stderr, "aaren-bench: %s: %s\n", bench.name.c_str(), status.ToString().c_str());
  return 1;
}

// A bench takes minutes: the folder is checked first.
absl::Status MakeWritable(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error && !std::filesystem::is_directory(folder)) error = std::make_error_code(std::errc::not_a_directory);
  if (!error && access(folder.c_str(), W_OK | X_OK) != 0) error = std::error_code(errno, std::generic_category());
  if (!error) return absl::OkStatus();
  return absl::PermissionDeniedError(absl::StrCat("--output=", folder, " cannot be written: ", error.message()));
}

void Print(const Bench& bench, const std::vector<Row>& rows, bool json) {
  const std::string machine = DescribeMachine();
  if (json) {
    std::printf("%s\n", ToJson(bench.name, machine, rows).c_str());
  } else {
    std::printf("%s\n%s", machine.c_str(), ToTable(rows).c_str());
    if (!bench.note.empty()) std::printf("\n%s\n", bench.note.c_str());
  }
}

int Run(const Bench& bench, const Arguments& arguments) {
  if (!arguments.output.empty()) {
    if (bench.save == nullptr) {
      std::fprintf(stderr, "aaren-bench: %s writes no files: --output is not for it\n", bench.name.c_str());
      return 2;
    }
    if (absl::Status status = MakeWritable(arguments.output); !status.ok()) return Fail(bench, status);
  }
  if (!arguments.against.empty() && bench.run_against == nullptr) {
    std::fprintf(stderr, "aaren-bench: %s measures no server of another build: --against is not for it\n",
                 bench.name.c_str());
    return 2;
  }
  const absl::StatusOr<std::vector<Row>> rows =
      arguments.against.empty() ? bench.run() : bench.run_against(arguments.against);
  if (!rows.ok()) return Fail(bench, rows.status());
  Print(bench, *rows, arguments.json);
  if (arguments.output.empty()) return 0;
  const absl::Status saved = bench.save(*rows, arguments.output);
  return saved.ok() ? 0 : Fail(bench, saved);
}

int Main(const std::vector<std::string>& words) {
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  Arguments arguments;
  command_line::Flags flags("aaren-bench [NAME] [--json] [--output=DIR] [--against=SERVER]",
                            "Runs one bench and prints its table. Without a name it lists them.");
  for (const Bench& bench : kBenches) flags.AddVerb(bench.name, {}, bench.summary);
  flags.Add("json", &arguments.json, "one JSON object instead of a table");
  flags.Add("output", &arguments.output, "the folder for files");
  flags.Add("against", &arguments.against, "the aaren-bench-server of another build, to measure beside this one's");
  const absl::StatusOr<command_line::Parsed> parsed = flags.Parse(words);
  if (!parsed.ok()) {
    std::fprintf(stderr, "aaren-bench: %s\n", std::string(parsed.status().message()).c_str());
    return 2;
  }
  if (!parsed->answer.empty()) return std::fputs(parsed->answer.c_str(), stdout), 0;
  for (const Bench& bench : kBenches) {
    if (bench.name == parsed->verb) return Run(bench, arguments);
  }
  return List();
}

}  // namespace
}  // namespace aaren::bench

int main(int argc, char** argv) { return aaren::bench::Main(std::vector<std::string>(argv + 1, argv + argc)); }
