// The cost of an event: the engine's step by itself, and with the numbers of a reply.

#include <algorithm>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "model/engine/cpu/cpu_engine.h"
#include "model/package/package.h"
#include "server/sessions/task/conversion.h"
#include "tests/bench/bench.h"
#include "tests/bench/bench_size.h"
#include "tests/bench/turns.h"

namespace aaren::bench {

const char kEventsNote[] =
    R"(one thread; microseconds of a call with one event of each of `batch` sessions, of the best turn, in processor
time of the thread. Sessions have seen 300 events of 12 marks. A reply has nine quantiles, three spans and three marks.)";

namespace {

constexpr size_t kPast = 300, kMarks = 12, kSessions = 1024;
constexpr size_t kEventsOfWork = 2048;  // in one piece of work

// Sessions of the bundled model, and a batch for each call.
class EventLoad {
 public:
  EventLoad(const engine::Engine& engine, const task::Conversion& conversion, const task::OutputPlan& plan)
      : engine_(engine), conversion_(conversion), plan_(plan), lane_(engine.NewLane(kSessions)), slots_(kSessions) {
    results_.resize(kSessions * engine.result_floats());
    sent_.resize(conversion.PlannedFloats(plan));
    inputs_.resize(kSessions * conversion.inputs(plan));
  }

  absl::Status Begin() {
    if (absl::Status status = lane_->Allocate(absl::MakeSpan(slots_)); !status.ok()) return status;
    if (absl::Status status = lane_->Reset(slots_); !status.ok()) return status;
    for (size_t i = 0; i < kPast; ++i) Step(kSessions, /*reply=*/false);
    return status_;
  }

  void Step(size_t batch, bool reply) {
    runs_.clear();
    for (size_t i = 0; i < batch; ++i) {
      const size_t session = next_++ % kSessions;
      float* const inputs = &inputs_[i * conversion_.inputs(plan_)];
      time_ns_ += static_cast<int64_t>(random_() % 20'000'000);
      const uint32_t mark = static_cast<uint32_t>(random_() % kMarks);
      conversion_.CopyInputs({.times_ns = {&time_ns_, 1}, .marks = {&mark, 1}}, 1, plan_, inputs);
      engine::Run& run = runs_.emplace_back();
      run.slot = slots_[session];
      run.values = {inputs, conversion_.inputs(plan_)};
      run.forecast = {&wanted_, 1};
      run.forecasts = &results_[i * engine_.result_floats()];
    }
    status_.Update(lane_->Submit(runs_).status());
    if (!reply) return;
    numbers_ = {};
    for (size_t i = 0; i < batch; ++i) {
      const float* result = &results_[i * engine_.result_floats()];
      conversion_.CopyPlanned(result, plan_, sent_.data());
      conversion_.AppendEvents(result, plan_, numbers_);
    }
  }

  const absl::Status& status() const { return status_; }

 private:
  const engine::Engine& engine_;
  const task::Conversion& conversion_;
  const task::OutputPlan& plan_;
  const std::unique_ptr<engine::Lane> lane_;
  std::vector<engine::Slot> slots_;
  std::vector<float> inputs_, results_, sent_;
  task::EventNumbers numbers_;
  std::vector<engine::Run> runs_;
  std::mt19937_64 random_{1};
  const uint8_t wanted_ = 1;
  size_t next_ = 0;
  int64_t time_ns_ = 1'700'000'000'000'000'000;
  absl::Status status_;
};

}  // namespace

absl::StatusOr<std::vector<Row>> RunEventsBench() {
  const absl::StatusOr<package::ModelPackage> package = package::LoadPackage(AAREN_BUNDLED_EVENTS);
  if (!package.ok()) return package.status();
  const auto engine = engine::NewCpuEngine(*package);
  if (!engine.ok()) return engine.status();
  const std::unique_ptr<const task::Conversion> conversion = task::NewConversion(*package);
  task::OutputRequest request;
  request.events = task::EventRequest{.spans_s = {1, 10, 60}, .marks = 3};
  const task::OutputPlan plan = conversion->Resolve(request).plan;
  EventLoad load(**engine, *conversion, plan);
  if (absl::Status status = load.Begin(); !status.ok()) return status;
  struct Case {
    size_t batch;
    bool reply;
  };
  const std::vector<Case> cases = {{1, false}, {1, true}, {64, false}, {64, true}, {1024, false}, {1024, true}};
  std::vector<std::function<void()>> work;
  for (const Case& one : cases) {
    work.push_back([&load, one] {
      for (size_t done = 0; done < kEventsOfWork; done += one.batch) load.Step(one.batch, one.reply);
    });
  }
  const double seconds = absl::ToDoubleSeconds(BenchTurn(absl::Milliseconds(300)));
  const std::vector<double> best =
      TimeInTurns(work, {.runs = 5, .seconds = seconds, .slow = 0.5, .clock = CLOCK_THREAD_CPUTIME_ID});
  std::vector<Row> rows;
  for (size_t i = 0; i < cases.size(); ++i) {
    rows.push_back({{"batch", static_cast<int64_t>(cases[i].batch)},
                    {"reply", cases[i].reply ? "yes" : "no"},
                    {"microseconds", best[i] * 1e6 * static_cast<double>(cases[i].batch) / kEventsOfWork},
                    {"events_per_second", kEventsOfWork / best[i]}});
  }
  if (!load.status().ok()) return load.status();
  return rows;
}

}  // namespace aaren::bench
