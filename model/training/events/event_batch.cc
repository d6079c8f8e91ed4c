#include "model/training/events/event_batch.h"

#include <algorithm>
#include <cmath>

#include "model/tasks/forecasting/parts/random.h"

namespace aaren::training {
namespace {

using events::EventMemory;
using events::EventSequence;
using forecasting::Random;

constexpr double kWeightScale = 64, kWeightFall = -0.3;  // a token after event i weighs (i / 64)^-0.3

// Appends the tokens of sequences to a batch.
class Builder {
 public:
  Builder(EventBatch& batch, uint64_t seed) : batch_(batch), random_(seed, 0) { batch_.first_mark.push_back(0); }

  // Adds the tokens of a sequence, and then no tokens up to batch_.tokens.
  void Add(const EventSequence& sequence) {
    EventMemory memory = events::NoEvents(sequence.epoch);
    Observe(sequence, 0, memory);
    for (size_t event = 1; event + 1 < sequence.times.size(); ++event) {
      Observe(sequence, event, memory);
      events::HasScale(memory) ? AddToken(sequence, event, memory) : AddNothing();
    }
    for (auto event = static_cast<int64_t>(sequence.times.size()) - 2; event < batch_.tokens; ++event) AddNothing();
  }

 private:
  static double Gap(const EventSequence& sequence, size_t event) {
    return event == 0 ? 0 : sequence.times[event] - sequence.times[event - 1];
  }

  static uint64_t MarkOf(const EventSequence& sequence, size_t event) {
    return static_cast<uint64_t>(sequence.marks[event]);
  }

  static void Observe(const EventSequence& sequence, size_t event, EventMemory& memory) {
    events::Observe({.gap = Gap(sequence, event), .mark = MarkOf(sequence, event)}, memory);
  }

  void AddNothing() {
    batch_.inputs.resize(batch_.inputs.size() + events::kInputs, 0.0f);
    batch_.elapsed.push_back(kNoToken);
    batch_.weights.push_back(0);
    batch_.targets.push_back({});
    batch_.first_mark.push_back(batch_.first_mark.back());
  }

  void AddToken(const EventSequence& sequence, size_t event, const EventMemory& memory) {
    const size_t at = batch_.inputs.size();
    batch_.inputs.resize(at + events::kInputs);
    events::WriteInputs(memory, batch_.inputs.data() + at);
    AddMarks(memory);
    const EventTarget target = TargetOf(sequence, event + 1, memory);
    batch_.elapsed.push_back(target.places.elapsed);
    batch_.weights.push_back(static_cast<float>(std::pow(static_cast<double>(event) / kWeightScale, kWeightFall)));
    batch_.targets.push_back(target);
  }

  void AddMarks(const EventMemory& memory) {
    const size_t at = batch_.marks.size();
    batch_.marks.resize(at + memory.live * kMarkStride, 0.0f);
    events::WriteMarkInputs(memory, batch_.marks.data() + at, kMarkStride);
    batch_.first_mark.push_back(batch_.first_mark.back() + memory.live);
  }

  EventTarget TargetOf(const EventSequence& sequence, size_t next, const EventMemory& memory) {
    const double gap = Gap(sequence, next);
    const size_t slot = events::FindSlot(memory, MarkOf(sequence, next));
    EventTarget target = {.places = events::PlacesOf(memory),
                          .place = 0,
                          .tie = !(gap > 0),
                          .mark = static_cast<int64_t>(std::min<size_t>(slot, memory.live))};
    if (target.tie) return target;
    const double spread = gap + sequence.rounding * (random_.Uniform() - 0.5);
    target.place = std::log(std::max(spread, 1e-3 * gap)) - events::LogScale(memory);
    return target;
  }

  EventBatch& batch_;
  Random random_;
};

}  // namespace

EventBatch EventBatchOf(absl::Span<const EventSequence> sequences, uint64_t seed) {
  EventBatch batch;
  batch.rows = static_cast<int64_t>(sequences.size());
  for (const EventSequence& sequence : sequences) {
    batch.tokens = std::max(batch.tokens, static_cast<int64_t>(sequence.times.size()) - 2);
  }
  Builder builder(batch, seed);
  for (const EventSequence& sequence : sequences) builder.Add(sequence);
  return batch;
}

EventBatch DrawEventBatch(uint64_t seed, uint64_t first, int64_t rows, int64_t tokens) {
  std::vector<EventSequence> sequences;
  for (int64_t row = 0; row < rows; ++row) {
    sequences.push_back(
        events::SyntheticEvents(seed, first + static_cast<uint64_t>(row), static_cast<int>(tokens) + 2));
  }
  return EventBatchOf(sequences, seed + first);
}

}  // namespace aaren::training
