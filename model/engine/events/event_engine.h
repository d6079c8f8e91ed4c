#ifndef AAREN_MODEL_ENGINE_EVENTS_EVENT_ENGINE_H_
#define AAREN_MODEL_ENGINE_EVENTS_EVENT_ENGINE_H_

// EventEngine takes events into rows and forecasts the time and the mark of the next event after each.
//
// A row is everything that one stream remembers, in a fixed number of bytes. The results and the rows have the same
// bits on any machine, in any batch, and however a stream's events are cut into calls (the exact tier of
// model/README.md).
//
// Threading: the engine is immutable. A Scratch belongs to one thread.

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/engine/events/event_package.h"
#include "model/engine/events/event_token.h"
#include "model/engine/events/memory.h"
#include "model/engine/events/outlook.h"
#include "model/engine/events/sizes.h"

namespace aaren::events {

inline constexpr size_t kTile = 64;  // events that read each weight once

// Softmax attention over all tokens so far, with outputs a / c, which never grow (model/engine/network/fold.h).
struct EventLayer {
  double output[kValueWidth], weight[kHeads], peak[kHeads];
};

struct EventRow {
  int64_t newest_ns;   // time of the newest event
  EventMemory memory;  // memory.count is the number of events taken
  EventLayer layers[kBlocks];
  Outlook outlook;  // after the newest event
};
static_assert(sizeof(EventRow) <= 8192);

struct EventResult {
  Outlook outlook;              // not made() before the first interval above 0
  float marks[kMarkSlots + 1];  // probability of each slot, 0 where free; the last is that of a new mark
  float surprise;               // the event's place in the forecast before it; NaN: there was none
};

struct EventRun {
  EventRow* row;
  absl::Span<const Event> events;
  EventResult* results;  // out, [events]; may be null
};

// The numbers that a caller asks for with an event.
struct EventWish {
  EventResult* result = nullptr;  // written by Pass; null: none
  bool surprise = true;           // false: the result's surprise stays NaN, and costs nothing
  double rounding = 0;            // seconds between times that a client can tell apart, for the surprise; 0: unknown
};

class EventEngine {
 public:
  // Memory through which tokens pass.
  class Scratch {
   public:
    virtual ~Scratch() = default;
  };

  virtual ~EventEngine() = default;
  virtual std::unique_ptr<Scratch> NewScratch() const = 0;

  // Takes an event into a row. REQUIRES: fewer than kTile events were taken since the last Pass, and the time is not
  // before the row's newest.
  virtual void Take(const Event& event, const EventWish& wish, EventRow& row, Scratch& scratch) const = 0;

  // Sends the events that were taken through the network: rows and results are complete afterwards.
  virtual void Pass(Scratch& scratch) const = 0;

  // Takes every run's events into its row, in order. InvalidArgument if the times of a run go back or a row is in two
  // runs; then no row is changed.
  virtual absl::Status Step(absl::Span<const EventRun> runs, Scratch& scratch) const = 0;
};

// FailedPrecondition if this CPU has no fused multiply-add. REQUIRES: LoadEventPackage accepted the package.
absl::StatusOr<std::unique_ptr<EventEngine>> NewEventEngine(const EventPackage& package);

// The row of a stream without events. Without a calendar, times have no known origin or unit.
EventRow NewEventRow(bool calendar);

}  // namespace aaren::events

#endif  // AAREN_MODEL_ENGINE_EVENTS_EVENT_ENGINE_H_
