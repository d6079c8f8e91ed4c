#include "tests/e2e/soak/judge/oracle.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "model/engine/cpu/cpu_engine.h"
#include "model/engine/forecast_result.h"

namespace aaren::soak {
namespace {

void Require(const absl::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "aaren-soak: the oracle's engine: %s\n", status.ToString().c_str());
  std::abort();
}

// A lane with a single row, for a single thread.
struct Bench {
  explicit Bench(const engine::Engine& engine) : lane(engine.NewLane(1)) { Require(lane->Allocate({&slot, 1})); }

  std::unique_ptr<engine::Lane> lane;
  engine::Slot slot;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Oracle>> Oracle::Load(const std::string& package_folder) {
  auto oracle = std::make_unique<Oracle>();
  absl::StatusOr<package::ModelPackage> package = package::LoadPackage(package_folder);
  if (!package.ok()) return package.status();
  oracle->package_ = *std::move(package);
  absl::StatusOr<std::unique_ptr<engine::Engine>> engine = engine::NewCpuEngine(oracle->package_);
  if (!engine.ok()) return engine.status();
  oracle->engine_ = *std::move(engine);
  return oracle;
}

std::shared_ptr<const Window> Track::WindowOf(uint64_t seq, bool calibrated) {
  const uint64_t window = seq / Window::kTokens;
  absl::MutexLock lock(&mutex_);
  const std::shared_ptr<const Window>& latest = latest_[calibrated];
  if (latest && latest->begin == window * Window::kTokens) return latest;
  return latest_[calibrated] = Compute(window, calibrated);
}

void Track::Trim() {
  absl::MutexLock lock(&mutex_);
  rows_.clear();
  latest_[0] = latest_[1] = nullptr;
}

Track::Rows Track::RowsAt(uint64_t window) {
  absl::MutexLock lock(&mutex_);
  return FindRows(window);
}

// Computes forward from the nearest known rows.
Track::Rows Track::FindRows(uint64_t window) {
  const uint64_t branch_window = series_->branch() / Window::kTokens;
  if (parent_ && window <= branch_window) return rows_.try_emplace(window, parent_->RowsAt(window)).first->second;
  uint64_t known = window;
  const uint64_t least = parent_ ? branch_window : 0;
  while (known > least && rows_.count(known) == 0) --known;
  if (rows_.count(known) == 0) {
    if (parent_) {
      (void)FindRows(known);
    } else {
      std::vector<std::byte> row(oracle_.engine().row_bytes());
      oracle_.engine().ResetRow(absl::MakeSpan(row));
      rows_[0] = Rows(series_->kind().channels, row);
    }
  }
  for (; known < window; ++known) (void)Compute(known, /*calibrated=*/true);
  return rows_.at(window);
}

std::shared_ptr<const Window> Track::Compute(uint64_t window, bool calibrated) {
  Rows rows = FindRows(window);
  auto made = std::make_shared<Window>();
  made->begin = window * Window::kTokens;
  const uint32_t channels = series_->kind().channels;
  made->forecasts.assign(Window::kTokens * channels * oracle_.forecast_floats(), std::nanf(""));
  made->surprises.assign(Window::kTokens * channels, std::nanf(""));
  for (uint32_t channel = 0; channel < channels; ++channel) StepChannel(channel, calibrated, rows[channel], *made);
  rows_.try_emplace(window + 1, std::move(rows));
  return made;
}

void Track::StepChannel(uint32_t channel, bool calibrated, std::vector<std::byte>& row, Window& window) const {
  thread_local Bench bench(oracle_.engine());
  const engine::RowWrite before{bench.slot, row.data()};
  Require(bench.lane->Write({&before, 1}));
  for (uint64_t t = 0; t < Window::kTokens; ++t) {
    const size_t at = t * series_->kind().channels + channel;
    const float value = series_->Value(window.begin + t, channel);
    const uint8_t wanted = series_->Computed(window.begin + t) ? 1 : 0;
    std::vector<float> result(oracle_.engine().result_floats());
    const engine::Run run = {.slot = bench.slot,
                             .values = absl::MakeConstSpan(&value, 1),
                             .forecast = absl::MakeConstSpan(&wanted, 1),
                             .forecasts = result.data(),
                             .surprises = &window.surprises[at],
                             .refinement = calibrated ? engine::Refinement::kRestricted : engine::Refinement::kMixed};
    const absl::StatusOr<engine::Ticket> ticket = bench.lane->Submit({&run, 1});
    Require(ticket.ok() ? bench.lane->Wait(*ticket) : ticket.status());
    if (wanted == 0) continue;
    const size_t floats = oracle_.forecast_floats();
    const engine::ResultTail tail = engine::ResultTail::Of(result.data(), floats);
    std::transform(result.data(), result.data() + floats, &window.forecasts[at * floats],
                   [&tail](float quantile) { return tail.AbsoluteFloat(quantile); });
  }
  const engine::RowRead after{bench.slot, row.data()};
  Require(bench.lane->Read({&after, 1}));
}

}  // namespace aaren::soak
