#include <algorithm>
#include <cmath>

#include "model/engine/events/keeps.h"
#include "model/engine/events/memory.h"
#include "model/engine/network/activation.h"
#include "model/math/doubles.h"
#include "model/math/lanes.h"

namespace aaren::events {
namespace {

// A tie has no logarithm, and so a place of its own.
constexpr float kTiePlace = -8, kMostPlace = 10;

// Appends numbers to a token's inputs.
class Writer {
 public:
  explicit Writer(float* to) : to_(to) {}
  void Put(double value) { *to_++ = static_cast<float>(value); }

 private:
  float* to_;
};

double Clip(double value, double most) { return std::clamp(value, -most, most); }

double LogOfWhole(uint64_t value) { return math::Log(static_cast<double>(value)); }

// The logarithms among a token's inputs, taken together in vectors.
class TokenLogs {
 public:
  enum Place : size_t {
    kNumber,
    kShortSquare,
    kLongSquare,
    kTraces,
    kGaps = kTraces + std::size(kTraceScales),
    kSinceMark = kGaps + std::size(kGapKeep),
    kDistinct,
    kDeviation,
    kAfterCount,
    kDayLog,
    kLogs
  };

  // `number` is that of the newest event, `deviation` that after its mark.
  TokenLogs(const EventMemory& memory, const MarkSlot& present, double number, double deviation) {
    std::fill_n(log_ + kLogs, kPadded - kLogs, 1.0);
    log_[kNumber] = 1 + number;
    // The 0.01 keeps the logarithm finite for intervals that are all equal.
    log_[kShortSquare] = memory.square[1] / memory.log_gap[2].weight + 0.01;
    log_[kLongSquare] = memory.square[0] / memory.log_gap[0].weight + 0.01;
    for (size_t k = 0; k < std::size(kTraceScales); ++k) log_[kTraces + k] = std::max(memory.trace[k], kLeastTime);
    for (size_t k = 0; k < std::size(kGapKeep); ++k) log_[kGaps + k] = std::max(memory.gap[k].value(), kLeastTime);
    log_[kSinceMark] = static_cast<double>(1 + uint64_t{memory.newest.since_mark});
    log_[kDistinct] = static_cast<double>(1 + uint64_t{memory.distinct});
    log_[kDeviation] = deviation;
    log_[kAfterCount] = static_cast<double>(1 + uint64_t{present.after_count});
    log_[kDayLog] = kDay;
    math::Log(log_, kPadded, log_);
  }

  double operator[](size_t place) const { return log_[place]; }

 private:
  static constexpr size_t kPadded = (kLogs + 7) / 8 * 8;
  double log_[kPadded];
};

float PlaceOf(float x, double scale) {
  if (x == kTied) return kTiePlace;
  return static_cast<float>(Clip(x - scale, kMostPlace));
}

const MarkSlot& Present(const EventMemory& memory) { return memory.slots[memory.newest.slot]; }

// Divisors and bounds in this file are part of the inputs' meaning: a change spoils trained weights
// (kEventInputVersion).
void WriteRing(const EventMemory& memory, double scale, Writer& to) {
  for (const float x : memory.ring) to.Put(x == kAbsent ? 0 : PlaceOf(x, scale) / 2);
  for (size_t j = 1; j <= kRing; ++j) to.Put(memory.marks[j] == memory.marks[0] ? 1 : 0);
}

void WriteMeans(const EventMemory& memory, double scale, const TokenLogs& logs, Writer& to) {
  for (size_t k = 1; k < std::size(kLogKeep); ++k) to.Put(Clip(memory.log_gap[k].value() - scale, 8) / 2);
  to.Put(0.5 * logs[TokenLogs::kShortSquare]);
  to.Put(0.5 * logs[TokenLogs::kLongSquare]);
  to.Put(memory.ties.value());
  to.Put(memory.newest.tie);
  for (size_t k = 0; k < std::size(kTraceScales); ++k) to.Put(logs[TokenLogs::kTraces + k] / 2);
  for (size_t k = 0; k < std::size(kGapKeep); ++k) to.Put(Clip(logs[TokenLogs::kGaps + k] - scale, 12) / 2);
  const auto equal = std::count(memory.ring + 1, memory.ring + kRing, memory.ring[0]);
  to.Put(static_cast<double>(equal) / 4);
}

// Mean and deviation after the newest mark, drawn towards those of a mark that nothing is known of.
struct AfterMark {
  double mean, deviation;
};

AfterMark AfterNewestMark(const EventMemory& memory, double scale) {
  const MarkSlot& mark = Present(memory);
  const double n = mark.after_count;
  // The variance 1.5 of an imagined interval stands for a mark that nothing is known of.
  return {.mean = n > 0 ? Clip(mark.after_mean - scale, kMostPlace) * n / (n + 1) : 0,
          .deviation = std::sqrt((n * mark.after_variance + 1.5) / (n + 1))};
}

void WriteMark(const EventMemory& memory, double scale, double mean, const TokenLogs& logs, Writer& to) {
  const Newest& newest = memory.newest;
  const MarkSlot& mark = Present(memory);
  to.Put(newest.fresh);
  to.Put(logs[TokenLogs::kSinceMark] / 3);
  for (size_t k = 0; k < 2; ++k) to.Put(mark.often[k] / memory.mark_weight[k]);
  to.Put(newest.repeat);
  to.Put(logs[TokenLogs::kDistinct] / 2);
  for (const Mean& fresh : memory.fresh) to.Put(fresh.value());
  to.Put(mean / 2);
  to.Put(logs[TokenLogs::kDeviation]);
  to.Put(logs[TokenLogs::kAfterCount] / 2);
  to.Put(memory.repeats.value());
  to.Put(newest.fresh != 0 ? 0 : Clip(newest.log_since_mark - scale, 16) / 4);
}

void WriteCalendar(const EventMemory& memory, double scale, const TokenLogs& logs, Writer& to) {
  if (memory.calendar == 0) {
    // The calendar has 18 numbers, and a stream without a known origin of time still has their places.
    for (int k = 0; k < 18; ++k) to.Put(0);
    return;
  }
  to.Put(1);
  to.Put(Clip(scale - logs[TokenLogs::kDayLog], 25) / 5);
  const double now = memory.epoch + memory.clock;
  const double turns[] = {now / kDay, now / (kDay / 2), now / kWeek, 0};
  double cosines[std::size(turns)], sines[std::size(turns)];
  math::Turn(turns, std::size(turns), cosines, sines);
  for (size_t k = 0; k < 3; ++k) {
    to.Put(cosines[k]);
    to.Put(sines[k]);
  }
  for (size_t p = 0; p < std::size(kPeriods); ++p) {
    to.Put(memory.cosine[p] / memory.phases);
    to.Put(memory.sine[p] / memory.phases);
  }
}

// Shares of a slot among the newest successors of the present mark.
struct Shares {
  float recent[kMarkSlots], equal[kMarkSlots];
  float known;  // successors
};

Shares SharesOf(const MarkSlot& present) {
  Shares shares = {};
  float weight = 1, weights = 0;
  const size_t known = std::min<size_t>(present.successor_count, kSuccessors);
  for (size_t j = 0; j < known; ++j, weight *= 0.7f) {
    weights += weight;
    if (present.successors[j] == kNoSlot) continue;
    shares.recent[present.successors[j]] += weight;
    shares.equal[present.successors[j]] += 1;
  }
  shares.known = static_cast<float>(known);
  // Small addends keep every share above 0, because logarithms of the shares follow.
  for (size_t k = 0; k < kMarkSlots; ++k) {
    shares.recent[k] = (shares.recent[k] + 0.05f) / (weights + 0.5f);
    shares.equal[k] = (shares.equal[k] + 0.1f) / (shares.known + 1);
  }
  return shares;
}

}  // namespace

Places PlacesOf(const EventMemory& memory) {
  const double scale = LogScale(memory);
  Places places;
  for (size_t j = 0; j < kRing; ++j) {
    places.present[j] = memory.ring[j] != kAbsent && memory.ring[j] != kTied;
    places.ring[j] = places.present[j] ? PlaceOf(memory.ring[j], scale) : 0;
  }
  const AfterMark after = AfterNewestMark(memory, scale);
  places.after = static_cast<float>(after.mean);
  places.deviation = static_cast<float>(after.deviation);
  // A tie has no logarithm; 40 below the scale, the elapsed time is 0 up to rounding.
  const double x = memory.newest.gap > 0 ? math::Log(memory.newest.gap) : scale - 40;
  places.elapsed = static_cast<float>(math::Log(1 + math::Exp(x - scale)));
  places.intervals = static_cast<float>(memory.log_gap[std::size(kLogKeep) - 1].weight);  // the slowest mean's
  return places;
}

void WriteInputs(const EventMemory& memory, float* inputs) {
  const double scale = LogScale(memory);
  Writer to(inputs);
  // The newest event's number. A session that was told its scale has a token at event 0, which counts as event 1.
  const auto i = static_cast<double>(std::max<uint64_t>(memory.count, 2) - 1);
  const AfterMark after = AfterNewestMark(memory, scale);
  const TokenLogs logs(memory, Present(memory), i, after.deviation);
  to.Put(logs[TokenLogs::kNumber] / 3 - 1);
  to.Put(1 / std::sqrt(i));
  WriteRing(memory, scale, to);
  WriteMeans(memory, scale, logs, to);
  WriteMark(memory, scale, after.mean, logs, to);
  WriteCalendar(memory, scale, logs, to);
}

// Logarithms are taken of all slots together: argument after argument, each of `padded` numbers.
void WriteMarkInputs(const EventMemory& memory, float* inputs, size_t stride) {
  enum { kRecent, kLong, kCount, kSince, kTime, kShare, kEqual, kAge, kLogs };
  alignas(64) float log[kLogs * kMarkSlots];
  const size_t live = memory.live, padded = math::PadToLanes(live);
  // A logarithm needs arguments above 0, in the padding too.
  std::fill_n(log, kLogs * padded, 1.0f);
  const MarkSlot& present = Present(memory);
  const Shares shares = SharesOf(present);
  const auto now = static_cast<uint32_t>(memory.count - 1);
  for (size_t k = 0; k < live; ++k) {
    const MarkSlot& slot = memory.slots[k];
    const uint32_t since = now - slot.last;
    float* at = log + k;
    // The addends keep the logarithm finite for a mark that came long ago.
    at[kRecent * padded] = slot.often[0] * KeptOver(0, since) / static_cast<float>(memory.mark_weight[0]) + 0.003f;
    at[kLong * padded] = slot.often[1] * KeptOver(1, since) / static_cast<float>(memory.mark_weight[1]) + 0.001f;
    at[kCount * padded] = (static_cast<float>(slot.count) + 0.1f) / static_cast<float>(memory.count);
    at[kSince * padded] = 1.0f + static_cast<float>(since);
    at[kTime * padded] = static_cast<float>(std::max(memory.clock - slot.last_time, kLeastTime));
    at[kShare * padded] = shares.recent[k];
    at[kEqual * padded] = shares.equal[k];
    at[kAge * padded] = 1.0f + static_cast<float>(now - slot.first);
  }
  engine::Log(log, kLogs * padded, log);
  const float known = static_cast<float>(LogOfWhole(1 + static_cast<uint64_t>(shares.known)) / 2);
  const uint8_t paired = memory.pairs[PairOf(memory.newest.before, memory.newest.slot)];
  for (size_t k = 0; k < live; ++k, inputs += stride) {
    const MarkSlot& slot = memory.slots[k];
    const float* at = log + k;
    inputs[0] = at[kRecent * padded];
    inputs[1] = at[kLong * padded];
    inputs[2] = at[kCount * padded];
    inputs[3] = at[kSince * padded];
    inputs[4] = k == memory.newest.slot;
    inputs[5] = at[kShare * padded];
    inputs[6] = at[kEqual * padded];
    inputs[7] = present.successor_count > 0 && present.successors[0] == k;
    inputs[8] = paired == k;
    inputs[9] = slot.gap_count > 0 ? std::clamp(at[kTime * padded] - slot.gap_mean, -6.0f, 6.0f) / 2 : 0.0f;
    inputs[10] = k == size_t{memory.newest.slot} + 1;
    inputs[11] = static_cast<float>(k) / static_cast<float>(live);
    inputs[12] = slot.count == 1;
    inputs[13] = known;
    inputs[14] = at[kAge * padded] / 3;
  }
}

}  // namespace aaren::events
