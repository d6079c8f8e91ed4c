#include "model/engine/events/event_task.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "model/engine/events/event_engine.h"
#include "model/engine/events/event_token.h"
#include "model/engine/events/row_check.h"

namespace aaren::events {
namespace {

constexpr double kNanosecond = 1e-9;

struct TaskRow {
  EventRow events;
  uint64_t claimed;  // 0 except while a batch works on the row
};
constexpr size_t kRowBytes = (sizeof(TaskRow) + 63) / 64 * 64;
static_assert(kRowBytes <= 8192);

TaskRow& RowAt(std::byte* row) { return *reinterpret_cast<TaskRow*>(row); }

// Events on their way, and the places for their results.
struct Batch final : engine::Task::Scratch {
  struct Places {
    float* forecast;  // or null
    float* surprise;  // or null
  };
  explicit Batch(const EventEngine& engine) : scratch(engine.NewScratch()) {}

  const std::unique_ptr<EventEngine::Scratch> scratch;
  size_t size = 0;
  Places places[kTile];
  EventResult results[kTile];
  EventForecast forecasts[kTile];
};

// Names are copied when the event is taken: a later event of the batch may take the slot of a mark.
void CopyNames(const EventMemory& memory, uint32_t* names) {
  for (size_t k = 0; k < memory.live; ++k) names[k] = static_cast<uint32_t>(memory.slots[k].name);
  std::fill(names + memory.live, names + kMarkSlots, 0);
}

class EventTask final : public engine::Task {
 public:
  EventTask(const EventPackage& package, std::unique_ptr<EventEngine> engine)
      : engine_(std::move(engine)), bounds_(package) {}

  std::unique_ptr<Scratch> NewScratch() const override { return std::make_unique<Batch>(*engine_); }
  size_t row_bytes() const override { return kRowBytes; }
  size_t task_bytes() const override { return kRowBytes; }
  size_t result_floats() const override { return kForecastFloats; }
  void ResetRow(absl::Span<std::byte> row) const override;
  absl::StatusOr<uint64_t> CheckRow(absl::Span<const std::byte> row) const override;
  std::vector<double> Remembered(absl::Span<const std::byte>) const override { return {}; }
  bool NewestResult(absl::Span<const std::byte> row, float* result) const override;
  uint64_t& claim(std::byte* row) const override { return RowAt(row).claimed; }
  absl::Status CheckRun(const engine::Run& run) const override;
  void Take(const engine::Run& run, std::byte* row, Scratch& scratch) const override;
  void Begin(Scratch&) const override {}
  bool Done(Scratch&) const override { return true; }
  absl::Status Finish(Scratch& scratch) const override;

 private:
  void Pass(Batch& batch) const;

  const std::unique_ptr<EventEngine> engine_;
  const RowBounds bounds_;
};

void EventTask::ResetRow(absl::Span<std::byte> row) const {
  std::fill(row.begin(), row.end(), std::byte{0});
  RowAt(row.data()).events = NewEventRow(/*calendar=*/true);
}

absl::StatusOr<uint64_t> EventTask::CheckRow(absl::Span<const std::byte> row) const {
  if (row.size() != kRowBytes) {
    return absl::DataLossError(absl::StrCat("the row has ", row.size(), " bytes, not ", kRowBytes));
  }
  // A row from outside may be unaligned.
  TaskRow copy;
  std::memcpy(&copy, row.data(), sizeof(copy));
  if (copy.claimed != 0) return absl::DataLossError(absl::StrCat("claimed is ", copy.claimed, ", not 0"));
  if (absl::Status status = bounds_.Check(copy.events); !status.ok()) return status;
  return copy.events.memory.count;
}

// A row keeps the outlook, and no probabilities of marks.
bool EventTask::NewestResult(absl::Span<const std::byte> row, float* result) const {
  EventForecast forecast = {};
  std::memcpy(&forecast.outlook, row.data() + offsetof(TaskRow, events.outlook), sizeof(Outlook));
  std::memcpy(result, &forecast, sizeof(forecast));
  return forecast.outlook.made();
}

absl::Status EventTask::CheckRun(const engine::Run& run) const {
  if (run.values.size() != kTokenFloats * run.forecast.size()) {
    return absl::InvalidArgumentError(absl::StrCat("has ", run.values.size(), " numbers for ", run.forecast.size(),
                                                   " events, not ", kTokenFloats, " an event"));
  }
  const bool wants = std::any_of(run.forecast.begin(), run.forecast.end(), [](uint8_t flag) { return flag != 0; });
  if (wants && run.forecasts == nullptr) return absl::InvalidArgumentError("wants a forecast, but has no place for it");
  return absl::OkStatus();
}

void EventTask::Take(const engine::Run& run, std::byte* bytes, Scratch& scratch) const {
  Batch& batch = static_cast<Batch&>(scratch);
  EventRow& row = RowAt(bytes).events;
  const double rounding = static_cast<double>(run.scale.resolution_ns) * kNanosecond;
  float* forecast = run.forecasts;
  for (size_t i = 0; i < run.forecast.size(); ++i) {
    Event event = EventAt(&run.values[kTokenFloats * i]);
    if (row.memory.count == 0) {
      row.memory.calendar = event.time_ns >= kFirstDate;
      if (run.scale.unit_ns > 0) ExpectInterval(static_cast<double>(run.scale.unit_ns) * kNanosecond, row.memory);
    } else {
      // Callers refuse times that go back. The row stays a row of some stream even if a caller does not.
      event.time_ns = std::max(event.time_ns, row.newest_ns);
    }
    float* const surprise = run.surprises == nullptr ? nullptr : run.surprises + i;
    const bool wanted = run.forecast[i] != 0;
    EventResult* const result = wanted || surprise != nullptr ? &batch.results[batch.size] : nullptr;
    engine_->Take(event, {result, surprise != nullptr, rounding}, row, *batch.scratch);
    batch.places[batch.size] = {wanted ? std::exchange(forecast, forecast + kForecastFloats) : nullptr, surprise};
    if (wanted) CopyNames(row.memory, batch.forecasts[batch.size].names);
    if (++batch.size == kTile) Pass(batch);
  }
}

void EventTask::Pass(Batch& batch) const {
  engine_->Pass(*batch.scratch);
  for (size_t i = 0; i < batch.size; ++i) {
    const EventResult& result = batch.results[i];
    const auto [forecast, surprise] = batch.places[i];
    if (surprise != nullptr) *surprise = result.surprise;
    if (forecast == nullptr) continue;
    EventForecast& whole = batch.forecasts[i];
    whole.outlook = result.outlook;
    std::copy(std::begin(result.marks), std::end(result.marks), whole.marks);
    whole.unused = 0;
    std::memcpy(forecast, &whole, sizeof(whole));
  }
  batch.size = 0;
}

absl::Status EventTask::Finish(Scratch& scratch) const {
  Pass(static_cast<Batch&>(scratch));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<engine::Task>> NewEventTask(const package::ModelPackage& package) {
  if (absl::Status status = CheckEventPackage(package); !status.ok()) return status;
  absl::StatusOr<std::unique_ptr<EventEngine>> engine = NewEventEngine(package);
  if (!engine.ok()) return engine.status();
  return std::make_unique<EventTask>(package, *std::move(engine));
}

}  // namespace aaren::events
