// The step engine on one core: how long a call takes, by the number of tokens in it and by what they are for.
//
// The calls of one model and one instruction set take turns with each other and with the roofs that they are held
// against, so that a machine that slows down for a while slows all of them down.

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "model/engine/cpu/cpu_engine.h"
#include "model/engine/network/amx.h"
#include "tests/bench/bench.h"
#include "tests/bench/bench_size.h"
#include "tests/bench/engine/amx_roof.h"
#include "tests/bench/engine/eager_step.h"
#include "tests/bench/engine/roofs.h"
#include "tests/bench/engine/step_load.h"
#include "tests/bench/engine/step_shape.h"
#include "tests/bench/turns.h"
#include "tests/model/engine/only_target.h"

namespace aaren::bench {

const char kStepNote[] =
    R"(one thread; microseconds of a call with one token of each of `batch` sessions, the mean over 136
tokens, of the best turn, in processor time of the thread.
forecast: every token's is wanted. Silent tokens: fold, probe, or skipped, which is neither; history: 272 of one session
in one call. flop: of the products of a forecast; the fast tier multiplies two parts of each input, so twice as many.
roof_share: those a second over multiply-adds in registers, of AMX where isa says so, in the same run. over_four: against the next multiple of four tokens. bandwidth_ratio: over the time to read as many bytes as
the weights have. eager_ratio: LibTorch's time for the same products and activations, without input and calibration.)";

namespace {

using Silent = StepLoad::Silent;

// Tokens of one piece of work, eight times as many as from probe to probe: enough that it is of no account what a piece
// finds in the caches, and too few for a long turn.
constexpr size_t kTokens = 8 * 17;
constexpr int kReads = 64;            // of all weights: one alone is too short for the clock
constexpr size_t kHistory = 16 * 17;  // every phase of folds and probes

int CallsOf(size_t batch) { return static_cast<int>(std::max<size_t>(kTokens / batch, 1)); }

struct Measured {
  const char* kind;
  size_t batch;
  size_t tokens;                        // of a call
  int calls;                            // of one piece of work
  size_t work;                          // its place among them
  std::optional<size_t> before, eager;  // likewise: what to take off, and the baseline
};

// How a model is computed.
struct Arithmetic {
  engine::Tier tier;
  int64_t target;  // of Highway, for what AMX does not do
  bool amx;

  std::string isa() const { return amx ? "AMX" : InstructionSet(); }
};

// The exact tier by each instruction set of this CPU; the fast one by AMX, and by the best without.
std::vector<Arithmetic> Arithmetics() {
  std::vector<Arithmetic> all;
  for (const int64_t target : engine::ExactTargets()) all.push_back({engine::Tier::kExact, target, false});
  if (all.empty()) return all;
  const int64_t best = all.front().target;
  if (engine::MayUseAmx()) all.push_back({engine::Tier::kFast, best, true});
  all.push_back({engine::Tier::kFast, best, false});
  return all;
}

// What is timed of one model with one arithmetic.
class StepTurns {
 public:
  StepTurns(const StepShape& shape, const Arithmetic& arithmetic, const engine::Engine& engine, size_t sessions)
      : shape_(shape),
        arithmetic_(arithmetic),
        engine_(engine),
        load_(engine, shape.package.config.fold_every, sessions),
        eager_(NewEagerStep(shape.package)),
        weights_(WeightBytes(shape.package)) {
    AddWork(arithmetic.amx ? MatrixProducts : MultiplyAdd);
    AddWork([this] {
      for (int i = 0; i < kReads; ++i) weights_.Read();
    });
    for (size_t batch = 1; batch <= 16; ++batch) AddForecast(batch);
    for (const size_t batch : {24, 32, 64, 128}) AddForecast(batch);
    for (const size_t batch : {1, 8, 64}) {
      AddSilent("fold", Silent::kFold, batch);
      AddSilent("probe", Silent::kProbe, batch);
      AddSilent("skipped", Silent::kSkipped, batch);
    }
    measured_.push_back({"history", 1, kHistory, 1, AddWork([this] { load_.Replay(kHistory); }), {}, {}});
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

  bool Fits(size_t batch) const { return batch <= load_.sessions(); }

  void AddForecast(size_t batch) {
    if (!Fits(batch)) return;
    const int calls = CallsOf(batch);
    Measured one{"forecast", batch, batch, calls, AddWork([=, this] { load_.Forecast(batch, calls); }), {}, {}};
    const bool compared = batch == 1 || batch % 8 == 0;
    if (eager_ != nullptr && compared) one.eager = AddWork([=, this] { eager_->Step(batch, calls); });
    measured_.push_back(one);
  }

  void AddSilent(const char* kind, Silent silent, size_t batch) {
    if (!Fits(batch)) return;
    const int calls = CallsOf(batch);
    const auto work = [=, this](bool step) {
      for (int call = 0; call < calls; ++call) {
        load_.Restore(silent, batch);
        if (step) load_.Step(batch);
      }
    };
    const size_t both = AddWork([work] { work(true); });
    measured_.push_back({kind, batch, batch, calls, both, AddWork([work] { work(false); }), {}});
  }

  double SecondsOf(const Measured& one) const {
    const double before = one.before.has_value() ? seconds_[*one.before] : 0.0;
    return (seconds_[one.work] - before) / one.calls;
  }

  // Over the next multiple of four tokens.
  Cell OverFour(const Measured& one) const {
    const auto next = std::find_if(measured_.begin(), measured_.end(), [&](const Measured& other) {
      return absl::string_view(other.kind) == "forecast" && other.batch == (one.batch + 3) / 4 * 4;
    });
    const bool forecast = absl::string_view(one.kind) == "forecast" && next != measured_.end();
    return forecast ? Cell(SecondsOf(one) / SecondsOf(*next)) : Cell(std::monostate());
  }

  Row ToRow(const Measured& one) const {
    const double seconds = SecondsOf(one), tokens = static_cast<double>(one.tokens);
    const package::ForecasterConfig& config = shape_.package.config;
    Row row = {{"device", std::string("cpu")},
               {"tier", engine_.tier()},
               {"isa", arithmetic_.isa()},
               {"shape", shape_.name},
               {"width", int64_t{config.width}},
               {"layers", int64_t{config.layers}},
               {"heads", int64_t{config.heads}},
               {"batch", static_cast<int64_t>(one.batch)},
               {"kind", std::string(one.kind)},
               {"microseconds", seconds * 1e6},
               {"tokens_per_second", tokens / seconds}};
    const Row ratios = RatiosOf(one);
    row.insert(row.end(), ratios.begin(), ratios.end());
    return row;
  }

  // Those of forecasts alone.
  Row RatiosOf(const Measured& one) const {
    const double seconds = SecondsOf(one);
    const double flop = FlopPerToken(shape_.package) * (arithmetic_.tier == engine::Tier::kFast ? 2 : 1);
    const double roof = (arithmetic_.amx ? kMatrixProductFlop : kMultiplyAddFlop) / seconds_[kRoof];
    const auto forecasts = [&](bool measured, double ratio) {
      return measured && absl::string_view(one.kind) == "forecast" ? Cell(ratio) : Cell(std::monostate());
    };
    const double eager = one.eager.has_value() ? seconds_[*one.eager] / one.calls : 0.0;
    return {{"flop_per_token", forecasts(true, flop)},
            {"roof_share", forecasts(true, flop * static_cast<double>(one.tokens) / seconds / roof)},
            {"over_four", OverFour(one)},
            {"bandwidth_ratio", forecasts(one.batch == 1, seconds * kReads / seconds_[kRead])},
            {"eager_ratio", forecasts(one.eager.has_value(), eager / seconds)}};
  }

  const StepShape& shape_;
  const Arithmetic arithmetic_;
  const engine::Engine& engine_;
  StepLoad load_;
  std::unique_ptr<EagerStep> eager_;
  Weights weights_;
  std::vector<std::function<void()>> work_;
  std::vector<Measured> measured_;
  std::vector<double> seconds_;
};

}  // namespace

absl::StatusOr<std::vector<Row>> RunStepBench() {
  const absl::StatusOr<std::vector<StepShape>> shapes = StepShapes();
  if (!shapes.ok()) return shapes.status();
  std::vector<Row> rows;
  for (const StepShape& shape : *shapes) {
    for (const Arithmetic& arithmetic : Arithmetics()) {
      const engine::OnlyTarget only(arithmetic.target);
      std::optional<engine::ForbidAmx> no_amx;
      if (!arithmetic.amx) no_amx.emplace();
      const absl::StatusOr<std::unique_ptr<engine::Engine>> engine =
          engine::NewCpuEngine(shape.package, arithmetic.tier);
      if (!engine.ok()) return engine.status();
      StepTurns turns(shape, arithmetic, **engine, static_cast<size_t>(BenchSessions(128)));
      const std::vector<Row> more = turns.Measure(absl::ToDoubleSeconds(BenchTurn(absl::Milliseconds(300))));
      rows.insert(rows.end(), more.begin(), more.end());
    }
  }
  return rows;
}

}  // namespace aaren::bench
