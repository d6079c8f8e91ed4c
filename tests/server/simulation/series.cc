#include "tests/server/simulation/series.h"

#include <cstring>
#include <limits>

#include "model/engine/events/event_engine.h"
#include "model/engine/events/quantiles.h"
#include "model/engine/forecast_result.h"
#include "tests/model/engine/events/random_events.h"
#include "tests/server/sessions/shard/world/fake_engine.h"

namespace aaren::simulation {

Series::Series(uint32_t number, size_t tokens, Kind kind) : kind_(kind) {
  int64_t time = 1'000 * (number + 1), step = 0;
  for (size_t seq = 0; seq < tokens; ++seq) {
    const auto gap = static_cast<int64_t>((seq * 7 + number) % 5 * 3);  // 0 now and then: times repeat
    if (seq > 0) time += gap;
    if (seq > 0 && gap > 0) step = gap;
    times_.push_back(time);
    steps_.push_back(step);
  }
  has_events() ? MakeEvents(number, tokens) : MakeValues(number, tokens);
}

void Series::MakeValues(uint32_t number, size_t tokens) {
  for (size_t seq = 0; seq < tokens; ++seq) {
    values_.push_back(0.25f + static_cast<float>((seq * 37 + number * 11) % 101));
  }
  forecasts_ = shard::FakeEngine().Forecasts(values_);
  for (std::vector<float>& one : forecasts_) one.resize(one.size() - engine::ResultTail::kFloats);
}

// The engine takes all events in one call, as no server ever does.
void Series::MakeEvents(uint32_t number, size_t tokens) {
  std::vector<events::Event> all;
  for (size_t seq = 0; seq < tokens; ++seq) {
    marks_.push_back(static_cast<uint32_t>((seq * 5 + number) % 7));
    all.push_back({times_[seq], marks_[seq]});
  }
  static const events::EventEngine& engine = *events::NewEventEngine(EventModel())->release();
  events::EventRow row = events::NewEventRow(/*calendar=*/false);
  std::vector<events::EventResult> results(tokens);
  const events::EventRun run = {&row, all, results.data()};
  (void)engine.Step({&run, 1}, *engine.NewScratch());
  const std::vector<float> levels = {0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f, 0.7f, 0.8f, 0.9f};
  for (const events::EventResult& result : results) {
    std::vector<float>& forecast = forecasts_.emplace_back(levels.size(), std::numeric_limits<float>::quiet_NaN());
    if (result.outlook.made()) events::IntervalsAt(result.outlook, levels, forecast.data());
  }
}

bool Series::IsForecast(uint64_t seq, absl::Span<const float> numbers) const {
  const std::vector<float>& right = forecasts_[seq];
  return numbers.size() == right.size() && std::memcmp(numbers.data(), right.data(), right.size() * sizeof(float)) == 0;
}

absl::Span<const float> Series::values(uint64_t begin, uint64_t end) const {
  return absl::MakeConstSpan(values_).subspan(has_events() ? 0 : begin, has_events() ? 0 : end - begin);
}

absl::Span<const uint32_t> Series::marks(uint64_t begin, uint64_t end) const {
  return absl::MakeConstSpan(marks_).subspan(has_events() ? begin : 0, has_events() ? end - begin : 0);
}

absl::Span<const int64_t> Series::times(uint64_t begin, uint64_t end) const {
  return absl::MakeConstSpan(times_).subspan(begin, end - begin);
}

const package::ModelPackage& EventModel() {
  static const package::ModelPackage& model = *[] {
    auto* package = new package::ModelPackage(events::RandomEventPackage(5));
    package->name = "events";
    package->digest = "digest-events-1";
    return package;
  }();
  return model;
}

}  // namespace aaren::simulation
