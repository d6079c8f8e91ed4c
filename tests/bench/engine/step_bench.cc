// The step engine on one core: the time of a call, by the number of tokens.
//
// The calls of a model with an instruction set take turns, and the roofs take turns with the calls: a machine slow for
// a while slows all calls and roofs down.

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "tests/bench/bench.h"
#include "tests/bench/bench_size.h"
#include "tests/bench/engine/amx_roof.h"
#include "tests/bench/engine/eager_step.h"
#include "tests/bench/engine/roofs.h"
#include "tests/bench/engine/step_cases.h"
#include "tests/bench/engine/step_load.h"
#include "tests/bench/turns.h"

namespace aaren::bench {

const char kStepNote[] =
    R"(one thread; microseconds of a call with one token of each of `batch` sessions, all forecasts wanted: the mean over
136 tokens, of the best turn, in processor time of the thread. `silent` is the bench of tokens without a forecast.
flop: of the products of a forecast; the fast tier multiplies two parts of each input, so twice as many.
roof_share: those a second over multiply-adds in registers, of AMX where isa says so, in the same run.
over_four: against the next multiple of four tokens. bandwidth_ratio: over the time to read as many bytes as the weights
have. eager_ratio: LibTorch's time for the same products and activations, without input and calibration;
eager_latency_ratio: the same of one token, eager_best_ratio: LibTorch's best tokens a second under these.)";

namespace {

// Tokens of a piece of work, eight times the tokens between probes: enough to make the content of the caches
// unimportant, and too few for a long turn.
constexpr size_t kTokens = 8 * 17;
constexpr int kReads = 64;  // for all weights: a single read is too short for the clock

int CallsOf(size_t batch) { return static_cast<int>(std::max<size_t>(kTokens / batch, 1)); }

struct Measured {
  size_t batch;
  int calls;                    // in a piece of work
  size_t work;                  // the place in the list of work
  std::optional<size_t> eager;  // the same for the baseline
};

// The timed work of a model with an arithmetic.
class StepTurns {
 public:
  StepTurns(const StepCase& of, size_t sessions)
      : case_(of),
        load_(of.engine, of.shape.package.config.fold_every, sessions),
        eager_(NewEagerStep(of.shape.package)),
        weights_(WeightBytes(of.shape.package)) {
    AddWork(of.arithmetic.amx ? MatrixProducts : MultiplyAdd);
    AddWork([this] {
      for (int i = 0; i < kReads; ++i) weights_.Read();
    });
    for (size_t batch = 1; batch <= 16; ++batch) AddForecast(batch);
    for (const size_t batch : {24, 32, 64, 128}) AddForecast(batch);
  }

  std::vector<Row> Measure(double seconds) {
    seconds_ = TimeInTurns(
        work_, {.runs = 5, .seconds = seconds, .slow = std::max(seconds, 0.5), .clock = CLOCK_THREAD_CPUTIME_ID});
    std::vector<Row> rows;
    for (const Measured& one : measured_) rows.push_back(ToRow(one));
    return rows;
  }

 private:
  static constexpr size_t kRoof = 0, kRead = 1;  // places of the roofs

  size_t AddWork(std::function<void()> work) {
    work_.push_back(std::move(work));
    return work_.size() - 1;
  }

  void AddForecast(size_t batch) {
    if (batch > load_.sessions()) return;
    const int calls = CallsOf(batch);
    Measured one{batch, calls, AddWork([=, this] { load_.Forecast(batch, calls); }), {}};
    const bool compared = batch == 1 || batch % 8 == 0;
    if (eager_ != nullptr && compared) one.eager = AddWork([=, this] { eager_->Step(batch, calls); });
    measured_.push_back(one);
  }

  double SecondsOf(const Measured& one) const { return seconds_[one.work] / one.calls; }

  // Over the next multiple of four tokens.
  Cell OverFour(const Measured& one) const {
    for (const Measured& next : measured_) {
      if (next.batch == (one.batch + 3) / 4 * 4) return SecondsOf(one) / SecondsOf(next);
    }
    return std::monostate();
  }

  // LibTorch's tokens a second at the best batch; 0 without LibTorch.
  double BestOfEager() const {
    double best = 0;
    for (const Measured& one : measured_) {
      if (one.eager.has_value())
        best = std::max(best, static_cast<double>(one.batch * one.calls) / seconds_[*one.eager]);
    }
    return best;
  }

  Row ToRow(const Measured& one) const {
    const double seconds = SecondsOf(one), tokens = static_cast<double>(one.batch);
    Row row = DescribeCase(case_);
    row.insert(row.end(), {{"batch", static_cast<int64_t>(one.batch)},
                           {"microseconds", seconds * 1e6},
                           {"tokens_per_second", tokens / seconds}});
    const Row ratios = RatiosOf(one);
    row.insert(row.end(), ratios.begin(), ratios.end());
    return row;
  }

  Row RatiosOf(const Measured& one) const {
    const Arithmetic& arithmetic = case_.arithmetic;
    const double seconds = SecondsOf(one), tokens = static_cast<double>(one.batch);
    const double flop = FlopPerToken(case_.shape.package) * (arithmetic.tier == engine::Tier::kFast ? 2 : 1);
    const double roof = (arithmetic.amx ? kMatrixProductFlop : kMultiplyAddFlop) / seconds_[kRoof];
    const auto measured = [](bool is, double ratio) { return is ? Cell(ratio) : Cell(std::monostate()); };
    const bool alone = one.batch == 1, compared = one.eager.has_value();
    const double eager = compared ? seconds_[*one.eager] / one.calls : 0.0;
    const double best = BestOfEager();
    return {{"flop_per_token", flop},
            {"roof_share", flop * tokens / seconds / roof},
            {"over_four", OverFour(one)},
            {"bandwidth_ratio", measured(alone, seconds * kReads / seconds_[kRead])},
            {"eager_ratio", measured(compared, eager / seconds)},
            {"eager_latency_ratio", measured(alone && compared, eager / seconds)},
            {"eager_best_ratio", measured(best > 0, tokens / seconds / best)}};
  }

  const StepCase& case_;
  StepLoad load_;
  std::unique_ptr<EagerStep> eager_;
  Weights weights_;
  std::vector<std::function<void()>> work_;
  std::vector<Measured> measured_;
  std::vector<double> seconds_;
};

}  // namespace

absl::StatusOr<std::vector<Row>> RunStepBench() {
  const double seconds = absl::ToDoubleSeconds(BenchTurn(absl::Milliseconds(300)));
  return ForEachStepCase(
      [=](const StepCase& of) { return StepTurns(of, static_cast<size_t>(BenchSessions(128))).Measure(seconds); });
}

}  // namespace aaren::bench
