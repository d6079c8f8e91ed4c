// Tokens of the step engine without a wanted forecast: the cost of a token that folds, is a probe, or is neither.

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "tests/bench/bench.h"
#include "tests/bench/bench_size.h"
#include "tests/bench/engine/step_cases.h"
#include "tests/bench/engine/step_load.h"
#include "tests/bench/turns.h"

namespace aaren::bench {

const char kSilentNote[] =
    R"(one thread; microseconds of a call with one token of each of `batch` sessions, of the best turn, in processor time of
the thread. A token folds, is a probe (its forecast is made, to learn from), or is skipped, which is neither. history:
272 tokens of one session in one call, of which each phase has its share.)";

namespace {

using Silent = StepLoad::Silent;

constexpr size_t kTokensOfWork = 8 * 17;  // in one piece of work
constexpr size_t kHistory = 16 * 17;      // every phase of folds and probes

struct Kind {
  const char* name;
  Silent silent;
};
constexpr Kind kKinds[] = {{"fold", Silent::kFold}, {"probe", Silent::kProbe}, {"skipped", Silent::kSkipped}};

// A call, and the time to take off: each call begins with rows as before such a token.
struct MeasuredCall {
  std::string kind;
  size_t batch, tokens;
  int calls;
  size_t with, without;  // places of the work
};

class SilentTurns {
 public:
  SilentTurns(const StepCase& of, size_t sessions)
      : case_(of), load_(of.engine, of.shape.package.config.fold_every, sessions) {
    for (const size_t batch : {1, 8, 64}) {
      if (batch > sessions) continue;
      for (const Kind& kind : kKinds) AddCalls(kind, batch);
    }
    AddWork([] {});
    AddWork([this] { load_.Replay(kHistory); });
    measured_.push_back({"history", 1, kHistory, 1, work_.size() - 1, work_.size() - 2});
  }

  std::vector<Row> Measure(double seconds) {
    const std::vector<double> best =
        TimeInTurns(work_, {.runs = 5, .seconds = seconds, .slow = 0.5, .clock = CLOCK_THREAD_CPUTIME_ID});
    std::vector<Row> rows;
    for (const MeasuredCall& one : measured_) {
      const double call = (best[one.with] - best[one.without]) / one.calls;
      Row row = DescribeCase(case_);
      row.insert(row.end(), {{"batch", static_cast<int64_t>(one.batch)},
                             {"kind", one.kind},
                             {"microseconds", call * 1e6},
                             {"tokens_per_second", static_cast<double>(one.tokens) / call}});
      rows.push_back(std::move(row));
    }
    return rows;
  }

 private:
  void AddWork(std::function<void()> work) { work_.push_back(std::move(work)); }

  void AddCalls(const Kind& kind, size_t batch) {
    const int calls = static_cast<int>(kTokensOfWork / batch);
    for (const bool step : {false, true}) {
      AddWork([=, this, silent = kind.silent] {
        for (int call = 0; call < calls; ++call) {
          load_.Restore(silent, batch);
          if (step) load_.Step(batch);
        }
      });
    }
    measured_.push_back({kind.name, batch, batch, calls, work_.size() - 1, work_.size() - 2});
  }

  const StepCase& case_;
  StepLoad load_;
  std::vector<std::function<void()>> work_;
  std::vector<MeasuredCall> measured_;
};

}  // namespace

absl::StatusOr<std::vector<Row>> RunSilentBench() {
  const double seconds = absl::ToDoubleSeconds(BenchTurn(absl::Milliseconds(300)));
  return ForEachStepCase(
      [=](const StepCase& of) { return SilentTurns(of, static_cast<size_t>(BenchSessions(64))).Measure(seconds); });
}

}  // namespace aaren::bench
