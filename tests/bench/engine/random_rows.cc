#include "tests/bench/engine/random_rows.h"

#include <algorithm>
#include <fstream>
#include <memory>
#include <string>

#include "absl/time/time.h"
#include "model/engine/cpu/cpu_engine.h"
#include "tests/bench/bench_size.h"
#include "tests/bench/engine/roofs.h"
#include "tests/bench/engine/step_load.h"
#include "tests/bench/engine/step_shape.h"
#include "tests/bench/turns.h"

namespace aaren::bench {
namespace {

constexpr int kManySessions = 2'000'000;
constexpr size_t kHot = 1000;
constexpr size_t kRowsOfCall = 64;
constexpr int kCallsOfWork = 64;  // in one piece of work

// The memory that the system could give without swapping.
size_t AvailableBytes() {
  std::ifstream in("/proc/meminfo");
  for (std::string key; in >> key;) {
    size_t kib = 0;
    if (key == "MemAvailable:" && in >> kib) return kib << 10;
  }
  return 0;
}

// The wanted number, or fewer if their rows would fill the free memory.
size_t SessionsOf(const engine::Engine& engine) {
  const size_t fit = AvailableBytes() / 100 * 85 / engine.row_bytes();
  return std::max(std::min(static_cast<size_t>(BenchSessions(kManySessions)), fit), kRowsOfCall);
}

Row RowOf(const StepShape& shape, const engine::Engine& engine) {
  const int fold_every = shape.package.config.fold_every;
  StepLoad hot(engine, fold_every, kHot), many(engine, fold_every, SessionsOf(engine));
  const double seconds = absl::ToDoubleSeconds(BenchTurn(absl::Seconds(4)));
  const Copies copies;
  const std::vector<double> best =
      TimeInTurns({[&] { hot.ForecastAnywhere(kRowsOfCall, kCallsOfWork); },
                   [&] { many.ForecastAnywhere(kRowsOfCall, kCallsOfWork); }, [&] { copies.Copy(); }},
                  {.runs = 5, .seconds = seconds, .slow = seconds, .clock = CLOCK_THREAD_CPUTIME_ID});
  const double tokens = static_cast<double>(kRowsOfCall) * kCallsOfWork;
  const double copy = static_cast<double>(Copies::kBytes) / best[2];  // bytes a second
  const double row_copy = static_cast<double>(engine.row_bytes()) / copy;
  return {{"shape", shape.name},
          {"row_bytes", static_cast<int64_t>(engine.row_bytes())},
          {"sessions", static_cast<int64_t>(many.sessions())},
          {"hot_sessions", static_cast<int64_t>(kHot)},
          {"batch", static_cast<int64_t>(kRowsOfCall)},
          {"hot_tokens_per_second", tokens / best[0]},
          {"random_tokens_per_second", tokens / best[1]},
          {"random_over_hot", best[0] / best[1]},
          {"copy_gigabytes_per_second", copy / 1e9},
          {"random_over_copy", (best[1] - best[0]) / tokens / row_copy}};
}

}  // namespace

absl::StatusOr<std::vector<Row>> RandomRows() {
  const absl::StatusOr<std::vector<StepShape>> shapes = StepShapes();
  if (!shapes.ok()) return shapes.status();
  std::vector<Row> rows;
  for (const StepShape& shape : *shapes) {
    if (shape.name != "bundled" && shape.package.config.width != 64) continue;
    const absl::StatusOr<std::unique_ptr<engine::Engine>> engine = engine::NewCpuEngine(shape.package);
    if (!engine.ok()) return engine.status();
    rows.push_back(RowOf(shape, **engine));
  }
  return rows;
}

}  // namespace aaren::bench
