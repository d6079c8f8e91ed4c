#include "tests/bench/engine/step_load.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <random>

namespace aaren::bench {
namespace {

constexpr size_t kPast = 1600;   // more than a row remembers
constexpr size_t kPhases = 34;   // sessions side by side: two rounds of probes
constexpr uint64_t kProbe = 17;  // rule 6.1 of model/README.md, the length of a ring

std::vector<float> NoisySeason(size_t length) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(0.0, 0.3);
  std::vector<float> series;
  for (size_t t = 0; t < length; ++t) {
    series.push_back(static_cast<float>(20.0 + 5.0 * std::sin(static_cast<double>(t) * 0.2617993878) + noise(random)));
  }
  return series;
}

}  // namespace

StepLoad::StepLoad(const engine::Engine& engine, int fold_every, size_t sessions)
    : engine_(engine),
      fold_every_(static_cast<uint64_t>(fold_every)),
      lane_(engine.NewLane(sessions)),
      slots_(sessions),
      order_(sessions),
      series_(NoisySeason(24 * 500)),
      silent_(kPast, 0) {
  std::iota(order_.begin(), order_.end(), 0u);
  std::shuffle(order_.begin(), order_.end(), std::mt19937_64(2));
  if (!lane_->Allocate(absl::MakeSpan(slots_)).ok() || !lane_->Reset(slots_).ok()) std::abort();
  for (; seq_ < kPast; ++seq_) Replay(1);
  for (Silent kind : {Silent::kSkipped, Silent::kProbe, Silent::kFold}) before_.push_back(RowBefore(kind));
  for (size_t phase = 0; phase < kPhases; ++phase, Replay(1)) {
    const RowBytes row = Read(0);
    for (size_t i = phase; i < slots_.size(); i += kPhases) {
      const engine::RowWrite write{slots_[i], row.data()};
      if (i > 0 && !lane_->Write({&write, 1}).ok()) std::abort();
    }
  }
}

void StepLoad::Forecast(size_t batch, int calls) {
  ForecastOf(batch, calls, [](size_t i) { return i; });
}

void StepLoad::ForecastAnywhere(size_t batch, int calls) {
  ForecastOf(batch, calls, [this](size_t) { return order_[turn_++ % order_.size()]; });
}

template <typename NextSession>
void StepLoad::ForecastOf(size_t batch, int calls, NextSession next) {
  static constexpr uint8_t kWanted = 1;
  std::vector<engine::Run> runs(batch);
  values_.resize(batch);
  forecasts_.resize(batch * engine_.result_floats());
  for (size_t i = 0; i < batch; ++i) {
    runs[i] = {.slot = {},
               .values = {&values_[i], 1},
               .forecast = {&kWanted, 1},
               .forecasts = forecasts_.data() + i * engine_.result_floats()};
  }
  for (int call = 0; call < calls; ++call) {
    for (size_t i = 0; i < batch; ++i) runs[i].slot = slots_[next(i)];
    for (float& value : values_) value = Next();
    Submit(runs);
  }
}

void StepLoad::Restore(Silent kind, size_t batch) { Write(before_[static_cast<size_t>(kind)], batch); }

void StepLoad::Step(size_t batch) {
  std::vector<engine::Run> runs(batch);
  const float value = Next();
  for (size_t i = 0; i < batch; ++i)
    runs[i] = {.slot = slots_[i], .values = {&value, 1}, .forecast = {silent_.data(), 1}};
  Submit(runs);
}

void StepLoad::Replay(size_t tokens) {
  values_.clear();
  while (values_.size() < tokens) values_.push_back(Next());
  Submit({{.slot = slots_[0], .values = values_, .forecast = {silent_.data(), tokens}}});
}

void StepLoad::Submit(const std::vector<engine::Run>& runs) {
  const absl::StatusOr<engine::Ticket> ticket = lane_->Submit(runs);
  if (!ticket.ok() || !lane_->Wait(*ticket).ok()) std::abort();
}

StepLoad::RowBytes StepLoad::Read(size_t session) {
  RowBytes row(engine_.row_bytes());
  const engine::RowRead read{slots_[session], row.data()};
  if (!lane_->Read({&read, 1}).ok()) std::abort();
  return row;
}

void StepLoad::Write(const RowBytes& row, size_t sessions) {
  for (size_t i = 0; i < sessions; ++i) {
    const engine::RowWrite write{slots_[i], row.data()};
    if (!lane_->Write({&write, 1}).ok()) std::abort();
  }
}

// Steps the first session until its next token is of the kind.
StepLoad::RowBytes StepLoad::RowBefore(Silent kind) {
  for (;; ++seq_, Replay(1)) {
    const bool folds = (seq_ + 1) % fold_every_ == 0, probes = (seq_ + 1) % kProbe == 0;
    if (folds == (kind == Silent::kFold) && probes == (kind == Silent::kProbe)) return Read(0);
  }
}

}  // namespace aaren::bench
