#ifndef AAREN_MODEL_ENGINE_EVENTS_MEMORY_H_
#define AAREN_MODEL_ENGINE_EVENTS_MEMORY_H_

// EventMemory is what a session remembers of a stream of events, apart from attention: the last intervals, running
// means, and a table of marks. The network's inputs are read from the memory. Training and the engine share the
// code, and a token's inputs have the same bits in both.
//
// An *event* has a time and a mark. A *tie* is an event at the time of the event before. Intervals are measured against
// the running mean r of their logarithms, so no input depends on a unit of time. Marks are known by a 64-bit name. A
// mark lies in one of 64 slots; a mark without a slot is *new* and takes a free slot, or the slot least recently used.
//
// A token exists once an interval above 0 has been seen (HasScale). Arithmetic is in double, with the same bits on
// every machine (model/math/doubles.h); inputs are floats. Threading: a plain value of bytes, which may be copied by
// memcpy.

#include <cstddef>
#include <cstdint>

namespace aaren::events {

inline constexpr size_t kRing = 16;       // intervals that a token sees directly
inline constexpr size_t kMarkSlots = 64;  // marks known at a time
inline constexpr size_t kNewMark = kMarkSlots;
inline constexpr size_t kInputs = 87;      // numbers of a token
inline constexpr size_t kMarkInputs = 15;  // numbers of a token for each known mark
inline constexpr size_t kSuccessors = 8;
inline constexpr size_t kPairs = 256;
inline constexpr uint8_t kNoSlot = 255;

// Earlier times, in nanoseconds, are plain numbers and no dates: a stream that begins with such a time has no calendar.
inline constexpr int64_t kFirstDate = int64_t{5} * 365 * 86'400 * 1'000'000'000;  // 1974-12-31

// The nanoseconds from a time to a time that is not before. The difference of any two times fits an unsigned number,
// and unsigned numbers have no undefined overflow.
inline double NanosecondsBetween(int64_t before_ns, int64_t after_ns) {
  return static_cast<double>(static_cast<uint64_t>(after_ns) - static_cast<uint64_t>(before_ns));
}

// A running mean: sum and weight, both multiplied by the share kept before each number.
struct Mean {
  double sum, weight;

  void Add(double value, double keep) {
    sum = keep * sum + value;
    weight = keep * weight + 1;
  }
  double value() const { return weight > 0 ? sum / weight : 0; }
};

struct MarkSlot {
  uint64_t name;
  double last_time;                  // time of the mark's last event, as EventMemory::clock
  uint32_t last, first, count;       // number of the last event and of the first, and events
  float often[2];                    // undivided frequencies at the last event; kMarkKeep is kept per event
  float after_mean, after_variance;  // logarithms of the intervals after the mark
  float gap_mean;                    // mean logarithm of the times between two events
  uint8_t after_count, gap_count, successor_count;  // at most 255
  uint8_t successors[kSuccessors];                  // slots of the marks that followed, the newest first
  uint8_t unused[5];
};

// The newest event, seen against the memory before the event.
struct Newest {
  double gap;                  // the interval that ended with the event
  float log_since_mark;        // logarithm of the time since the mark's last event; 0 if the mark was new
  uint32_t since_mark;         // events since the mark's last event; 0 if the mark was new
  uint8_t slot, before;        // the mark's slot, and the slot of the event before
  uint8_t fresh, repeat, tie;  // the mark was new; the mark was that of the event before; the interval was 0
  uint8_t unused[3];
};

struct EventMemory {
  uint64_t count;     // events so far
  double clock;       // seconds since the first event
  double epoch;       // time of the first event since 1970 UTC, if the calendar is known
  uint32_t distinct;  // marks that were new when they came
  uint8_t calendar;   // 1 if `epoch` is known
  uint8_t live;       // slots in use
  uint8_t unused[2];
  Newest newest;
  Mean log_gap[5];   // means of x, the logarithm of an interval above 0, at kLogKeep
  double square[2];  // undivided mean squares of x - r, at kLogKeep[0] and kLogKeep[2]
  Mean ties, repeats;
  Mean gap[3];                        // means of intervals
  double trace[10];                   // decaying counts of events
  double cosine[5], sine[5], phases;  // decaying counts of events by phase, relative to the newest event
  Mean fresh[2];
  double mark_weight[2];     // weights of MarkSlot::often
  float ring[kRing];         // x of the last events, the newest first; see kAbsent and kTied
  uint8_t marks[kRing + 8];  // slots of the last events, the newest first; kNoSlot where absent
  uint8_t pairs[kPairs];     // the slot that followed a pair of slots last
  MarkSlot slots[kMarkSlots];
};

inline constexpr float kAbsent = -1e30f, kTied = -2e30f;  // in EventMemory::ring

// An event as it reaches the memory.
struct Arrival {
  double gap;     // seconds since the event before, >= 0; 0 for the first event
  uint64_t mark;  // the mark's name
};

// The memory of a session without events. `epoch` is the time of the first event in seconds since 1970 UTC; NaN if
// times have no known origin or unit, and then the calendar's inputs stay 0.
EventMemory NoEvents(double epoch);

// Tells a memory without events the usual interval, in seconds: it counts as one interval in the running means, and so
// the first event makes a token already. REQUIRES: interval > 0.
void ExpectInterval(double interval, EventMemory& memory);

// The slot of a mark; kNewMark if the mark has none.
size_t FindSlot(const EventMemory& memory, uint64_t mark);

void Observe(const Arrival& arrival, EventMemory& memory);

inline bool HasScale(const EventMemory& memory) { return memory.log_gap[0].weight > 0; }

// r, the logarithm of the scale of intervals. REQUIRES throughout: HasScale.
inline double LogScale(const EventMemory& memory) { return memory.log_gap[0].value(); }

// The numbers that the time head needs beside the network's outputs.
struct Places {
  float ring[kRing];       // x - r of the last intervals
  bool present[kRing];     // false where absent or a tie
  float after, deviation;  // mean and deviation of x - r after the newest event's mark
  float elapsed;           // log(1 + gap / scale) of the newest event: the age of timed attention
  float intervals;         // how many intervals above 0 the session has seen, the old ones fading; >= 1
};
Places PlacesOf(const EventMemory& memory);

void WriteInputs(const EventMemory& memory, float* inputs);  // [kInputs]

// Writes the inputs of each slot in use: [memory.live, stride], stride >= kMarkInputs; the padding is left as it is.
void WriteMarkInputs(const EventMemory& memory, float* inputs, size_t stride);

}  // namespace aaren::events

#endif  // AAREN_MODEL_ENGINE_EVENTS_MEMORY_H_
