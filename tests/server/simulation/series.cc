#include "tests/server/simulation/series.h"

#include <cstring>
#include <limits>
#include <memory>
#include <numeric>

#include "model/engine/cpu/cpu_engine.h"
#include "model/engine/events/event_engine.h"
#include "model/engine/events/quantiles.h"
#include "model/engine/forecast_result.h"
#include "model/engine/tier.h"
#include "tests/model/engine/events/random_events.h"
#include "tests/model/engine/random_package.h"
#include "tests/server/sessions/shard/world/fake_engine.h"

namespace aaren::simulation {
namespace {

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

// A flag at irregular times raises the values.
bool Flag(uint32_t number, size_t seq) { return (seq + number) * 0x9e3779b97f4a7c15 >> 60 < 5; }

float Covariate(uint32_t number, uint32_t column, size_t seq) {
  if ((seq + column) % 7 == 3) return kMissing;
  return column % 2 == 0 ? (Flag(number, seq) ? 1.0f : 0.0f) : static_cast<float>(seq * (5 + column) % 13);
}

// The engine's selection for a session with covariates and an Open for the model's own steps and levels.
const engine::Selection& OwnSelection() {
  static const engine::Selection& own = *[] {
    const package::ForecasterConfig& config = NetworkModel().config;
    auto* selection =
        new engine::Selection{std::vector<uint32_t>(static_cast<size_t>(config.horizon)), config.quantiles};
    std::iota(selection->steps.begin(), selection->steps.end(), 1u);
    return selection;
  }();
  return own;
}

std::unique_ptr<engine::Engine> EngineOf(const task::RowForm& rows) {
  auto engine = *engine::NewCpuEngine(NetworkModel(), rows.extended ? engine::Tier::kExtended : engine::Tier::kExact);
  return rows.extension != engine::Extension() ? engine->Extended(rows.extension) : std::move(engine);
}

}  // namespace

Series::Series(uint32_t number, size_t tokens, Kind kind, const task::RowForm& rows) : kind_(kind), rows_(rows) {
  int64_t time = 1'000 * (number + 1), step = 0;
  for (size_t seq = 0; seq < tokens; ++seq) {
    const auto gap = static_cast<int64_t>((seq * 7 + number) % 5 * 3);  // sometimes 0: times repeat
    if (seq > 0) time += gap;
    if (seq > 0 && gap > 0) step = gap;
    times_.push_back(time);
    steps_.push_back(step);
  }
  has_events() ? MakeEvents(number, tokens) : MakeValues(number, tokens);
}

const char* Series::model() const { return kind_ == Kind::kEvents ? "events" : kind_ == Kind::kNetwork ? "wide" : ""; }

std::string Series::tier() const {
  return extended() ? engine::NameOf(rows_.extension) : engine::NameOf(engine::Tier::kExact);
}

const engine::Selection& Series::selection(Reach reach) const {
  static const engine::Selection& far = *new engine::Selection{{1, 4, 17, 1024}, {0.005f, 0.1f, 0.5f, 0.995f}};
  static const engine::Selection& near = *new engine::Selection;
  return reach == Reach::kFar ? far : near;
}

// An Open without covariates asks for a far step: else a new session gets plain rows.
Reach Series::DrawReach(Fate& fate) const {
  if (!extended()) return Reach::kNear;
  return rows_.extension.covariates() > 0 && fate.OneIn(3) ? Reach::kNear : Reach::kFar;
}

void Series::MakeValues(uint32_t number, size_t tokens) {
  for (size_t seq = 0; seq < tokens; ++seq) {
    const bool gap = (seq + number) % 23 < 5;
    const size_t value =
        kind_ == Kind::kNetwork ? (seq + number) % 3 + (Flag(number, seq) ? 30 : 0) : (seq * 37 + number * 11) % 101;
    values_.push_back(gap ? kMissing : 0.25f + static_cast<float>(value));
  }
  if (kind_ == Kind::kNetwork) {
    MakeCovariates(number, tokens);
    MakeNetworkForecasts(Reach::kNear);
    if (extended()) MakeNetworkForecasts(Reach::kFar);
    return;
  }
  near_ = shard::FakeEngine().Forecasts(values_);
  for (std::vector<float>& one : near_) one.resize(one.size() - engine::ResultTail::kFloats);
}

void Series::MakeCovariates(uint32_t number, size_t tokens) {
  const auto& [past, future, profile] = rows_.extension;
  for (size_t seq = 0; seq < tokens; ++seq) {
    for (uint32_t i = 0; i < past + future; ++i) covariates_.push_back(Covariate(number, i, seq));
    const auto know = [&](absl::Span<const uint32_t> steps, std::vector<float>& known) {
      for (const uint32_t step : steps) {
        for (uint32_t i = past; i < past + future; ++i) known.push_back(Covariate(number, i, seq + step));
      }
    };
    know(OwnSelection().steps, near_future_);
    know(selection(Reach::kFar).steps, far_future_);
  }
}

// The engine's inputs of all tokens.
std::vector<float> Series::InputsOf(Reach reach) const {
  std::vector<float> inputs;
  for (size_t seq = 0; seq < size(); ++seq) {
    const std::vector<float> value = engine::RunValues({values_[seq]});
    for (const absl::Span<const float> part :
         {absl::MakeConstSpan(value), covariates(seq, seq + 1), future_values(seq, seq + 1, reach)}) {
      inputs.insert(inputs.end(), part.begin(), part.end());
    }
  }
  return inputs;
}

// The engine takes all tokens in a single call, unlike a server's calls.
void Series::MakeNetworkForecasts(Reach reach) {
  const std::unique_ptr<engine::Engine> engine = EngineOf(rows_);
  const bool selects = reach == Reach::kFar || rows_.extension.covariates() > 0;
  const engine::Selection selected = reach == Reach::kFar ? selection(reach) : OwnSelection();
  const size_t plain = engine->result_floats(), all = plain + (selects ? selected.floats() : 0);
  const std::vector<float> inputs = InputsOf(reach);
  const std::vector<uint8_t> wanted(size(), 1);
  std::vector<float> results(size() * all);
  const std::unique_ptr<engine::Lane> lane = engine->NewLane(1);
  engine::Slot slot;
  (void)lane->Allocate({&slot, 1});
  (void)lane->Reset({&slot, 1});
  const engine::Run run = {.slot = slot,
                           .values = inputs,
                           .forecast = wanted,
                           .forecasts = results.data(),
                           .selection = selects ? &selected : nullptr};
  (void)lane->Wait(*lane->Submit({&run, 1}));
  for (size_t seq = 0; seq < size(); ++seq) {
    const float* result = &results[seq * all];
    const auto tail = engine::ResultTail::Of(result, plain - engine::ResultTail::kFloats);
    std::vector<float>& forecast = forecasts(reach).emplace_back();
    const size_t begin = selects ? plain : 0, end = selects ? all : plain - engine::ResultTail::kFloats;
    for (size_t i = begin; i < end; ++i) forecast.push_back(tail.AbsoluteFloat(result[i]));
  }
}

// The engine takes all events in a single call, unlike a server's calls.
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
    std::vector<float>& forecast = near_.emplace_back(levels.size(), kMissing);
    if (result.outlook.made()) events::IntervalsAt(result.outlook, levels, forecast.data());
  }
}

bool Series::IsForecast(uint64_t seq, Reach reach, absl::Span<const float> numbers) const {
  const std::vector<float>& right = forecasts(reach)[seq];
  return numbers.size() == right.size() && std::memcmp(numbers.data(), right.data(), right.size() * sizeof(float)) == 0;
}

absl::Span<const float> Series::values(uint64_t begin, uint64_t end) const { return Part(values_, begin, end); }

absl::Span<const uint32_t> Series::marks(uint64_t begin, uint64_t end) const { return Part(marks_, begin, end); }

absl::Span<const int64_t> Series::times(uint64_t begin, uint64_t end) const { return Part(times_, begin, end); }

absl::Span<const float> Series::covariates(uint64_t begin, uint64_t end) const { return Part(covariates_, begin, end); }

absl::Span<const float> Series::future_values(uint64_t begin, uint64_t end, Reach reach) const {
  return Part(reach == Reach::kFar ? far_future_ : near_future_, begin, end);
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

const package::ModelPackage& NetworkModel() {
  static const package::ModelPackage& model = *[] {
    package::ForecasterConfig config = engine::TinyConfig();
    config.ring = 3;  // a session learns from covariates at every third token
    auto* package = new package::ModelPackage(engine::RandomPackage(config, 6));
    package->name = "wide";  // behind the rest of the forecasters: the default once a server's default has retired
    package->digest = "digest-wide-1";
    return package;
  }();
  return model;
}

}  // namespace aaren::simulation
