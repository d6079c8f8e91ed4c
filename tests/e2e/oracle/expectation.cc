#include "tests/e2e/oracle/expectation.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "model/engine/cpu/cpu_engine.h"
#include "model/engine/forecast_result.h"
#include "tests/e2e/soak/chance.h"

namespace aaren::oracle {
namespace {

constexpr soak::Kind kKind = {.channels = 1, .times = soak::Kind::Times::kNone, .every = 1, .surprise = false};
constexpr uint8_t kWanted = 1;

// The judging engine must not fail.
void Require(const absl::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "aaren-oracle: the engine that knows the forecasts: %s\n", status.ToString().c_str());
  std::abort();
}

void RequireDone(engine::Lane& lane, absl::Span<const engine::Run> runs) {
  const absl::StatusOr<engine::Ticket> ticket = lane.Submit(runs);
  Require(ticket.ok() ? lane.Wait(*ticket) : ticket.status());
}

}  // namespace

uint64_t DigestOf(absl::Span<const float> forecast) {
  uint64_t digest = forecast.size();
  for (const float value : forecast) digest = soak::Mix(digest ^ std::bit_cast<uint32_t>(value));
  return digest;
}

absl::StatusOr<std::unique_ptr<Expectation>> Expectation::Load(const std::string& package_folder, uint64_t seed,
                                                               size_t sessions) {
  std::unique_ptr<Expectation> made(new Expectation);
  absl::StatusOr<package::ModelPackage> package = package::LoadPackage(package_folder);
  if (!package.ok()) return package.status();
  made->package_ = *std::move(package);
  absl::StatusOr<std::unique_ptr<engine::Engine>> engine = engine::NewCpuEngine(made->package_);
  if (!engine.ok()) return engine.status();
  made->engine_ = *std::move(engine);
  made->lane_ = made->engine_->NewLane(sessions);
  made->slots_.resize(sessions);
  if (absl::Status status = made->lane_->Allocate(absl::MakeSpan(made->slots_)); !status.ok()) return status;
  if (absl::Status status = made->lane_->Reset(made->slots_); !status.ok()) return status;
  made->folded_.resize(sessions);
  for (size_t i = 0; i < sessions; ++i) made->series_.emplace_back(kKind, soak::Mix(seed) + i, nullptr, 0);
  return made;
}

void Expectation::Step(absl::Span<Token> tokens) {
  std::vector<float> values;
  std::vector<engine::Run> runs;
  const size_t floats = engine_->result_floats();
  forecasts_.resize(tokens.size() * floats);
  for (const Token& token : tokens) values.push_back(Value(token.session, folded_[token.session]++));
  for (size_t i = 0; i < tokens.size(); ++i) {
    runs.push_back({.slot = slots_[tokens[i].session],
                    .values = absl::MakeConstSpan(&values[i], 1),
                    .forecast = absl::MakeConstSpan(&kWanted, 1),
                    .forecasts = &forecasts_[i * floats]});
  }
  RequireDone(*lane_, runs);
  for (size_t i = 0; i < tokens.size(); ++i) {
    tokens[i].digest = DigestOf(ToForecast(&forecasts_[i * floats]));
  }
}

std::vector<float> Expectation::Forecast(size_t session, uint64_t seq) const {
  const std::unique_ptr<engine::Lane> lane = engine_->NewLane(1);
  engine::Slot slot;
  Require(lane->Allocate({&slot, 1}));
  Require(lane->Reset({&slot, 1}));
  std::vector<float> forecast(engine_->result_floats());
  for (uint64_t s = 0; s <= seq; ++s) {
    const float value = Value(session, s);
    const engine::Run run = {.slot = slot,
                             .values = absl::MakeConstSpan(&value, 1),
                             .forecast = absl::MakeConstSpan(&kWanted, 1),
                             .forecasts = forecast.data()};
    RequireDone(*lane, {&run, 1});
  }
  ToForecast(forecast.data());
  forecast.resize(forecast_floats());
  return forecast;
}

// A result of the engine in the units of the series, in place.
absl::Span<const float> Expectation::ToForecast(float* result) const {
  const engine::ResultTail tail = engine::ResultTail::Of(result, forecast_floats());
  std::for_each_n(result, forecast_floats(), [&tail](float& quantile) { quantile = tail.AbsoluteFloat(quantile); });
  return {result, forecast_floats()};
}

}  // namespace aaren::oracle
