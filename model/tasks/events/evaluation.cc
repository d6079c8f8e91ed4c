#include "model/tasks/events/evaluation.h"

#include <algorithm>
#include <memory>

namespace aaren::events {
namespace {

class OfModel final : public IntervalForecast {
 public:
  explicit OfModel(const Outlook& outlook) : outlook_(outlook) {}
  double Tie() const override { return outlook_.tie; }
  double Below(double gap) const override {
    return gap > 0 ? (ProbabilityWithin(outlook_, gap) - outlook_.tie) / (1 - outlook_.tie) : 0;
  }
  double LogDensity(double gap) const override { return events::LogDensity(outlook_, gap); }
  double IntervalAt(double level) const override { return events::IntervalAt(outlook_, level); }

 private:
  const Outlook& outlook_;
};

MarkChance ChanceOf(const EventRow& row, const EventResult& result, uint64_t mark) {
  const size_t slot = FindSlot(row.memory, mark);
  return {.probability = result.marks[slot],
          .fresh = slot == kNewMark,
          .most = *std::max_element(result.marks, result.marks + kMarkSlots)};
}

// Scores the stream's events from number `first` on.
void Judge(const EventEngine& engine, const EventStream& stream, bool calendar, size_t first,
           EventEngine::Scratch& scratch, Contest& contest) {
  const bool dated = !stream.times_ns.empty() && stream.times_ns.front() >= kFirstDate;
  auto row = std::make_unique<EventRow>(NewEventRow(calendar && dated));
  EventResult before, now;
  contest.Begin();
  for (size_t i = 0; i < stream.times_ns.size(); ++i) {
    const Event event = {.time_ns = stream.times_ns[i], .mark = stream.marks[i]};
    const double gap = i == 0 ? 0 : NanosecondsBetween(stream.times_ns[i - 1], stream.times_ns[i]) * 1e-9;
    if (i >= first && contest.scores_next() && before.outlook.made()) {
      const OfModel interval(before.outlook);
      const MarkChance chance = ChanceOf(*row, before, event.mark);
      contest.Take(gap, event.mark, &interval, &chance);
    } else {
      contest.Take(gap, event.mark, nullptr, nullptr);
    }
    const EventRun run = {.row = row.get(), .events = {&event, 1}, .results = &now};
    engine.Step({&run, 1}, scratch).IgnoreError();  // times were checked when the file was read
    before = now;
  }
}

}  // namespace

absl::StatusOr<Evaluation> EvaluateEvents(const EventEngine& engine, absl::Span<const EventStream> streams,
                                          const EvaluationOptions& options) {
  Contest contest({.rounding = options.rounding, .rules = options.rules});
  const std::unique_ptr<EventEngine::Scratch> scratch = engine.NewScratch();
  for (size_t i = 0; i < streams.size(); ++i) {
    const size_t first = options.first_scored.empty() ? 0 : options.first_scored[i];
    Judge(engine, streams[i], options.calendar, first, *scratch, contest);
  }
  return contest.Finish();
}

}  // namespace aaren::events
