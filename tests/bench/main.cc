// aaren-bench NAME [--json]: runs one bench and prints its table. Without a name it lists them.

#include <cstdio>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/synchronization/mutex.h"
#include "tests/bench/bench.h"
#include "tests/bench/served.h"

namespace aaren::bench {
namespace {

const Bench kBenches[] = {
    {"age", "one session through a million tokens: memory and time at both ends", RunAgeBench},
    {"rpc", "the server with an echo for a model against a bare gRPC echo; streams against sessions; memory",
     RunRpcBench},
};

int List() {
  for (const Bench& bench : kBenches) std::printf("%-12s %s\n", bench.name.c_str(), bench.summary.c_str());
  return 0;
}

int Run(const Bench& bench, bool json) {
  const absl::StatusOr<std::vector<Row>> rows = bench.run();
  if (!rows.ok()) {
    std::fprintf(stderr, "aaren-bench: %s: %s\n", bench.name.c_str(), rows.status().ToString().c_str());
    return 1;
  }
  const std::string machine = DescribeMachine();
  if (json) {
    std::printf("%s\n", ToJson(bench.name, machine, *rows).c_str());
  } else {
    std::printf("%s\n%s", machine.c_str(), ToTable(*rows).c_str());
  }
  return 0;
}

int Main(int argc, char** argv) {
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  std::string name;
  bool json = false;
  for (int i = 1; i < argc; ++i) {
    absl::string_view arg = argv[i];
    if (absl::ConsumePrefix(&arg, "--serve=")) return Serve(std::string(arg));  // a bench's other process
    if (arg == "--json") {
      json = true;
    } else if (name.empty() && !absl::StartsWith(arg, "-")) {
      name = std::string(arg);
    } else {
      std::fprintf(stderr, "aaren-bench: unknown argument '%s'; usage: aaren-bench [NAME] [--json]\n", argv[i]);
      return 2;
    }
  }
  if (name.empty()) return List();
  for (const Bench& bench : kBenches) {
    if (bench.name == name) return Run(bench, json);
  }
  std::fprintf(stderr, "aaren-bench: no bench is called '%s'; these are:\n", name.c_str());
  List();
  return 2;
}

}  // namespace
}  // namespace aaren::bench

int main(int argc, char** argv) { return aaren::bench::Main(argc, argv); }
