#include "tests/model/specification/events/memory.h"

#include <algorithm>

#include "tests/model/specification/events/doubles.h"

namespace aaren::specification::events {
namespace {

constexpr double kLogKeep[5] = {0.98, 0.5, 0.8, 0.95, 0.99}, kGapKeep[3] = {0.8, 0.95, 0.99};
constexpr double kMarkKeep[2] = {0.9, 0.99}, kNewKeep[2] = {0.8, 0.97};
constexpr double kTraceScale[10] = {0.1, 0.31622776601683794, 1,    3.1622776601683795, 10, 31.622776601683793,
                                    100, 316.22776601683796,  1000, 3162.2776601683795};

// Puts `newest` in front; the oldest goes.
template <typename T>
void Push(T newest, std::vector<T>& list) {
  list.insert(list.begin(), newest);
  list.pop_back();
}

// Counts up to 255.
void Count(uint8_t& number) { number = static_cast<uint8_t>(std::min(number + 1, 255)); }

float AtMostTwelve(uint8_t number) { return std::min(static_cast<float>(number), 12.0f); }

std::vector<float> Powers(double keep) {
  std::vector<float> powers;
  double kept = 1;
  for (int n = 0; n < 1024; ++n, kept = kept * keep) powers.push_back(static_cast<float>(kept));
  return powers;
}

}  // namespace

void Mean::Add(double value, double keep) {
  sum = keep * sum + value;
  weight = keep * weight + 1;
}

Memory::Memory() : ring(16, kAbsent), slots(17, kNone), pairs(256, kNone) {}

float Memory::Kept(int k, uint32_t events) {
  if (events >= 1024) return 0;
  static const std::array<std::vector<float>, 2> powers = {Powers(kMarkKeep[0]), Powers(kMarkKeep[1])};
  return powers[k][events];
}

void Memory::Expect(double interval) {
  for (int k = 0; k < 5; ++k) log_gap[k].Add(DoubleLog(interval), kLogKeep[k]);
  for (int k = 0; k < 3; ++k) gaps[k].Add(interval, kGapKeep[k]);
  trace.fill(1);
}

void Memory::Take(double waited, uint64_t name) {
  gap = waited;
  tie = count > 0 && gap == 0;
  clock = clock + gap;
  if (calendar) TurnBack();
  if (count > 0) TakeGap();
  TakeMark(name);
  ++count;
}

void Memory::TurnBack() {
  phases = 0.995 * phases + 1;
  for (int p = 0; p < 5; ++p) {
    const auto [c, s] = Turn(gap / kPeriods[p]);
    const double x = cosine[p], y = sine[p];
    cosine[p] = 0.995 * (x * c + y * s) + 1;
    sine[p] = 0.995 * (y * c - x * s);
  }
}

void Memory::TakeGap() {
  const double x = tie ? 0 : DoubleLog(gap);
  Push(tie ? kTied : static_cast<float>(x), ring);
  ties.Add(tie ? 1 : 0, 0.9);
  for (int k = 0; k < 3; ++k) gaps[k].Add(gap, kGapKeep[k]);
  if (!tie) TakeLog(x);
  if (!HasScale()) return;
  const double scale = DoubleExp(r());
  for (int k = 0; k < 10; ++k) trace[k] = trace[k] * DoubleExp(-gap / (kTraceScale[k] * scale)) + 1;
}

void Memory::TakeLog(double x) {
  for (int k = 0; k < 5; ++k) log_gap[k].Add(x, kLogKeep[k]);
  const double z = x - r();
  square[0] = 0.98 * square[0] + z * z;
  square[1] = 0.8 * square[1] + z * z;
  Mark& mark = marks[slot];
  Count(mark.after_count);
  const auto rounded = static_cast<float>(x);
  const float share = 1.0f / AtMostTwelve(mark.after_count), delta = rounded - mark.after_mean;
  mark.after_mean = mark.after_mean + share * delta;
  mark.after_variance = mark.after_variance + share * (delta * (rounded - mark.after_mean) - mark.after_variance);
}

uint8_t Memory::SlotFor(uint64_t name) {
  fresh = false;
  for (size_t k = 0; k < marks.size(); ++k) {
    if (marks[k].name == name) return static_cast<uint8_t>(k);
  }
  fresh = true;
  size_t taken = marks.size();
  if (taken < 64) {
    marks.emplace_back();
  } else {
    taken = 0;
    for (size_t k = 1; k < 64; ++k) {
      const auto age = [&](size_t slot) { return (count - marks[slot].last) % (uint64_t{1} << 32); };
      if (age(k) > age(taken)) taken = k;
    }
    marks[taken] = Mark();
    const auto old = static_cast<uint8_t>(taken);
    std::replace(slots.begin(), slots.end(), old, kNone);
    std::replace(pairs.begin(), pairs.end(), old, kNone);
    for (Mark& mark : marks) std::replace(mark.successors.begin(), mark.successors.end(), old, kNone);
  }
  marks[taken].name = name;
  marks[taken].first = static_cast<uint32_t>(count);
  return static_cast<uint8_t>(taken);
}

void Memory::TakeSuccessor(uint8_t next) {
  if (slot == kNone) return;
  Mark& mark = marks[slot];
  Push(next, mark.successors);
  Count(mark.successor_count);
  pairs[Pair(before, slot)] = next;
}

void Memory::TakeMark(uint64_t name) {
  const uint8_t next = SlotFor(name);
  Mark& mark = marks[next];
  if (fresh && distinct + 1 != 0) ++distinct;
  TakeSuccessor(next);
  const auto now = static_cast<uint32_t>(count);
  const uint32_t since = now - mark.last;
  const double time = clock - mark.last_time;
  repeat = slot == next;
  since_mark = fresh ? 0 : since;
  log_since_mark = fresh ? 0.0f : static_cast<float>(DoubleLog(std::max(time, kLeastTime)));
  if (!fresh && time > 0) {
    Count(mark.gap_count);
    mark.gap_mean = mark.gap_mean + (log_since_mark - mark.gap_mean) / AtMostTwelve(mark.gap_count);
  }
  for (int k = 0; k < 2; ++k) {
    mark.often[k] = (fresh ? 0.0f : mark.often[k] * Kept(k, since)) + 1.0f;
    mark_weight[k] = kMarkKeep[k] * mark_weight[k] + 1;
    news[k].Add(fresh ? 1 : 0, kNewKeep[k]);
  }
  repeats.Add(repeat ? 1 : 0, 0.95);
  mark.last = now;
  mark.last_time = clock;
  ++mark.count;
  before = slot;
  slot = next;
  Push(next, slots);
}

}  // namespace aaren::specification::events
