#include "model/engine/events/memory.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "model/engine/events/keeps.h"
#include "model/math/doubles.h"

namespace aaren::events {
namespace {

void KeepTurning(double gap, EventMemory& memory) {
  // The counts lie relative to the newest event, so an interval turns all of them back.
  memory.phases = kPhaseKeep * memory.phases + 1;
  constexpr size_t kWhole = 8;  // numbers of a vector
  static_assert(std::size(kPeriods) <= kWhole);
  double turns[kWhole] = {}, cosines[kWhole], sines[kWhole];
  for (size_t p = 0; p < std::size(kPeriods); ++p) turns[p] = gap / kPeriods[p];
  math::Turn(turns, kWhole, cosines, sines);
  for (size_t p = 0; p < std::size(kPeriods); ++p) {
    const double cosine = memory.cosine[p], sine = memory.sine[p];
    memory.cosine[p] = kPhaseKeep * (cosine * cosines[p] + sine * sines[p]) + 1;
    memory.sine[p] = kPhaseKeep * (sine * cosines[p] - cosine * sines[p]);
  }
}

// The interval's share in the means, after the mark of the event before. REQUIRES: the interval is above 0.
void ObserveLog(double x, EventMemory& memory) {
  for (size_t k = 0; k < std::size(kLogKeep); ++k) memory.log_gap[k].Add(x, kLogKeep[k]);
  const double z = x - LogScale(memory);
  memory.square[0] = kLogKeep[0] * memory.square[0] + z * z;
  memory.square[1] = kLogKeep[2] * memory.square[1] + z * z;
  MarkSlot& before = memory.slots[memory.newest.slot];
  // A byte counts; beyond kMostRecent the number no longer matters.
  if (before.after_count < 255) ++before.after_count;
  // A plain mean at first, and a mean over about kMostRecent events later.
  const float share = 1.0f / static_cast<float>(std::min<int>(before.after_count, kMostRecent));
  const float delta = static_cast<float>(x) - before.after_mean;
  before.after_mean += share * delta;
  before.after_variance += share * (delta * (static_cast<float>(x) - before.after_mean) - before.after_variance);
}

void ObserveGap(double gap, EventMemory& memory) {
  const bool tie = !(gap > 0);
  const double x = tie ? 0 : math::Log(gap);
  std::copy_backward(memory.ring, memory.ring + kRing - 1, memory.ring + kRing);
  memory.ring[0] = tie ? kTied : static_cast<float>(x);
  memory.ties.Add(tie ? 1 : 0, kTieKeep);
  for (size_t k = 0; k < std::size(kGapKeep); ++k) memory.gap[k].Add(gap, kGapKeep[k]);
  if (!tie) ObserveLog(x, memory);
  if (!HasScale(memory)) return;
  const double scale = math::Exp(LogScale(memory));
  // The traces decay by the scale of the stream's own intervals, and so know no unit of time.
  double kept[std::size(kTraceScales)];
  for (size_t k = 0; k < std::size(kTraceScales); ++k) kept[k] = -gap / (kTraceScales[k] * scale);
  math::Exp(kept, std::size(kept), kept);
  for (size_t k = 0; k < std::size(kTraceScales); ++k) memory.trace[k] = memory.trace[k] * kept[k] + 1;
}

void Forget(uint8_t slot, EventMemory& memory) {
  // The slot is to mean another mark, so nothing may refer to the old mark any more.
  const auto clear = [slot](uint8_t& other) { other = other == slot ? kNoSlot : other; };
  std::for_each(std::begin(memory.marks), std::end(memory.marks), clear);
  std::for_each(std::begin(memory.pairs), std::end(memory.pairs), clear);
  for (MarkSlot& one : memory.slots) std::for_each(std::begin(one.successors), std::end(one.successors), clear);
}

// A slot for a new mark: the next free one, or the slot least recently used.
size_t TakeSlot(uint64_t mark, EventMemory& memory) {
  size_t slot = memory.live;
  if (slot < kMarkSlots) {
    ++memory.live;
  } else {
    // Ages are right also where the count of events begins again at 0, after 2^32 of them.
    const auto older = [now = static_cast<uint32_t>(memory.count)](const MarkSlot& a, const MarkSlot& b) {
      return now - a.last > now - b.last;
    };
    slot = static_cast<size_t>(std::min_element(memory.slots, memory.slots + kMarkSlots, older) - memory.slots);
    Forget(static_cast<uint8_t>(slot), memory);
  }
  MarkSlot& taken = memory.slots[slot];
  std::memset(&taken, 0, sizeof(taken));
  taken.name = mark;
  taken.first = static_cast<uint32_t>(memory.count);
  std::memset(taken.successors, kNoSlot, sizeof(taken.successors));
  return slot;
}

// The memory of what follows what. `slot` came after newest.slot, which came after newest.before.
void ObserveSuccessor(uint8_t slot, EventMemory& memory) {
  const Newest& newest = memory.newest;
  if (newest.slot == kNoSlot) return;
  MarkSlot& before = memory.slots[newest.slot];
  std::copy_backward(before.successors, before.successors + kSuccessors - 1, before.successors + kSuccessors);
  before.successors[0] = slot;
  if (before.successor_count < 255) ++before.successor_count;
  memory.pairs[PairOf(newest.before, newest.slot)] = slot;
}

void ObserveMark(uint64_t mark, EventMemory& memory) {
  size_t slot = FindSlot(memory, mark);
  const bool fresh = slot == kNewMark;
  if (fresh) {
    slot = TakeSlot(mark, memory);
    memory.distinct += memory.distinct < std::numeric_limits<uint32_t>::max();
  }
  Newest& newest = memory.newest;
  // The successor is noted before `newest` moves on, because the mark belongs to the event before.
  ObserveSuccessor(static_cast<uint8_t>(slot), memory);
  MarkSlot& taken = memory.slots[slot];
  const auto now = static_cast<uint32_t>(memory.count);
  const uint32_t since = now - taken.last;
  const double time_since = memory.clock - taken.last_time;
  newest.fresh = fresh;
  newest.repeat = newest.slot == slot;
  newest.since_mark = fresh ? 0 : since;
  newest.log_since_mark = fresh ? 0.0f : static_cast<float>(math::Log(std::max(time_since, kLeastTime)));
  // Two events at one moment have no logarithm of the time between.
  if (!fresh && time_since > 0) {
    if (taken.gap_count < 255) ++taken.gap_count;
    taken.gap_mean +=
        (newest.log_since_mark - taken.gap_mean) / static_cast<float>(std::min<int>(taken.gap_count, kMostRecent));
  }
  for (size_t k = 0; k < 2; ++k) {
    // Frequencies fade late: a slot is brought up to date only when its mark comes, over all events since.
    taken.often[k] = (fresh ? 0.0f : taken.often[k] * KeptOver(k, since)) + 1.0f;
    memory.mark_weight[k] = kMarkKeep[k] * memory.mark_weight[k] + 1;
    memory.fresh[k].Add(fresh ? 1 : 0, kFreshKeep[k]);
  }
  memory.repeats.Add(newest.repeat, kRepeatKeep);
  taken.last = now;
  taken.last_time = memory.clock;
  ++taken.count;
  newest.before = newest.slot;
  newest.slot = static_cast<uint8_t>(slot);
  std::copy_backward(memory.marks, memory.marks + kRing, memory.marks + kRing + 1);
  memory.marks[0] = static_cast<uint8_t>(slot);
}

}  // namespace

EventMemory NoEvents(double epoch) {
  EventMemory memory;
  std::memset(&memory, 0, sizeof(memory));
  memory.calendar = std::isnan(epoch) ? 0 : 1;
  memory.epoch = std::isnan(epoch) ? 0 : epoch;
  memory.newest.slot = memory.newest.before = kNoSlot;
  std::fill(std::begin(memory.ring), std::end(memory.ring), kAbsent);
  std::memset(memory.marks, kNoSlot, sizeof(memory.marks));
  std::memset(memory.pairs, kNoSlot, sizeof(memory.pairs));
  for (MarkSlot& slot : memory.slots) std::memset(slot.successors, kNoSlot, sizeof(slot.successors));
  return memory;
}

void ExpectInterval(double interval, EventMemory& memory) {
  for (size_t k = 0; k < std::size(kLogKeep); ++k) memory.log_gap[k].Add(math::Log(interval), kLogKeep[k]);
  for (size_t k = 0; k < std::size(kGapKeep); ++k) memory.gap[k].Add(interval, kGapKeep[k]);
  // Traces count events, and the first event is one.
  std::fill(std::begin(memory.trace), std::end(memory.trace), 1.0);
}

size_t FindSlot(const EventMemory& memory, uint64_t mark) {
  for (size_t slot = 0; slot < memory.live; ++slot) {
    if (memory.slots[slot].name == mark) return slot;
  }
  return kNewMark;
}

void Observe(const Arrival& arrival, EventMemory& memory) {
  memory.newest.gap = arrival.gap;
  memory.newest.tie = memory.count > 0 && !(arrival.gap > 0);
  memory.clock += arrival.gap;
  if (memory.calendar != 0) KeepTurning(arrival.gap, memory);
  // The interval is counted before the mark: an interval belongs to the mark of the event before.
  if (memory.count > 0) ObserveGap(arrival.gap, memory);
  ObserveMark(arrival.mark, memory);
  ++memory.count;
}

}  // namespace aaren::events
