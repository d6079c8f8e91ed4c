#include "tests/model/specification/events/inputs.h"

#include <algorithm>
#include <cmath>

#include "tests/model/specification/events/doubles.h"
#include "tests/model/specification/functions.h"

namespace aaren::specification::events {
namespace {

double Within(double y, double most) { return Clamp(y, -most, most); }

// E4.2
float PlaceOf(float x, double r) { return x == kTied ? -8.0f : static_cast<float>(Within(x - r, 10)); }

// E4.3
double AfterMean(const Mark& mark, double r) {
  const double n = mark.after_count;
  return n > 0 ? Within(mark.after_mean - r, 10) * n / (n + 1) : 0;
}
double AfterDeviation(const Mark& mark) {
  const double n = mark.after_count;
  return std::sqrt((n * mark.after_variance + 1.5) / (n + 1));
}

void Put(double y, Vector& to) { to.push_back(static_cast<float>(y)); }

// Numbers 34 ... 55 of E4.
void PutMeans(const Memory& memory, Vector& to) {
  const double r = memory.r();
  for (int k = 1; k < 5; ++k) Put(Within(memory.log_gap[k].Value() - r, 8) / 2, to);
  Put(0.5 * DoubleLog(memory.square[1] / memory.log_gap[2].weight + 0.01), to);
  Put(0.5 * DoubleLog(memory.square[0] / memory.log_gap[0].weight + 0.01), to);
  Put(memory.ties.Value(), to);
  Put(memory.tie ? 1 : 0, to);
  for (const double trace : memory.trace) Put(DoubleLog(std::max(trace, kLeastTime)) / 2, to);
  for (const Mean& gap : memory.gaps) Put(Within(DoubleLog(std::max(gap.Value(), kLeastTime)) - r, 12) / 2, to);
  double equal = 0;
  for (int j = 1; j < 16; ++j) equal += memory.ring[j] == memory.ring[0] ? 1 : 0;
  Put(equal / 4, to);
}

// 56 ... 68
void PutMark(const Memory& memory, Vector& to) {
  const double r = memory.r();
  const Mark& mark = memory.Newest();
  Put(memory.fresh ? 1 : 0, to);
  Put(DoubleLog(1.0 + memory.since_mark) / 3, to);
  for (int k = 0; k < 2; ++k) Put(mark.often[k] / memory.mark_weight[k], to);
  Put(memory.repeat ? 1 : 0, to);
  Put(DoubleLog(1.0 + memory.distinct) / 2, to);
  for (const Mean& news : memory.news) Put(news.Value(), to);
  Put(AfterMean(mark, r) / 2, to);
  Put(DoubleLog(AfterDeviation(mark)), to);
  Put(DoubleLog(1.0 + mark.after_count) / 2, to);
  Put(memory.repeats.Value(), to);
  Put(memory.fresh ? 0 : Within(memory.log_since_mark - r, 16) / 4, to);
}

// E4.4
void PutCalendar(const Memory& memory, Vector& to) {
  if (!memory.calendar) {
    for (int k = 0; k < 18; ++k) Put(0, to);
    return;
  }
  Put(1, to);
  Put(Within(memory.r() - DoubleLog(kPeriods[0]), 25) / 5, to);
  const double now = memory.epoch + memory.clock;
  for (const double period : {kPeriods[0], kPeriods[1], kPeriods[3]}) {
    const Turned turned = Turn(now / period);
    Put(turned.cosine, to);
    Put(turned.sine, to);
  }
  for (int p = 0; p < 5; ++p) {
    Put(memory.cosine[p] / memory.phases, to);
    Put(memory.sine[p] / memory.phases, to);
  }
}

// E5.2, E5.3
struct Shares {
  explicit Shares(const Mark& mark) {
    known = std::min<int>(mark.successor_count, 8);
    float weight = 1, weights = 0;
    for (int j = 0; j < known; ++j) {
      weights = weights + weight;
      const uint8_t slot = mark.successors[j];
      if (slot != kNone) {
        recent[slot] = recent[slot] + weight;
        equal[slot] = equal[slot] + 1;
      }
      weight = weight * 0.7f;
    }
    for (float& share : recent) share = (share + 0.05f) / (weights + 0.5f);
    for (float& share : equal) share = (share + 0.1f) / static_cast<float>(known + 1);
  }

  int known;
  std::array<float, 64> recent = {}, equal = {};
};

}  // namespace

Vector TokenInputs(const Memory& memory) {
  const double r = memory.r(), i = static_cast<double>(std::max<uint64_t>(memory.count, 2) - 1);
  Vector to;
  Put(DoubleLog(1 + i) / 3 - 1, to);
  Put(1 / std::sqrt(i), to);
  for (const float x : memory.ring) Put(x == kAbsent ? 0.0f : PlaceOf(x, r) / 2, to);
  for (int j = 1; j <= 16; ++j) Put(memory.slots[j] == memory.slots[0] ? 1 : 0, to);
  PutMeans(memory, to);
  PutMark(memory, to);
  PutCalendar(memory, to);
  return to;
}

Places::Places(const Memory& memory) {
  const double r = memory.r();
  for (int j = 0; j < 16; ++j) {
    present[j] = memory.ring[j] != kAbsent && memory.ring[j] != kTied;
    ring[j] = present[j] ? PlaceOf(memory.ring[j], r) : 0;
  }
  after = static_cast<float>(AfterMean(memory.Newest(), r));
  deviation = static_cast<float>(AfterDeviation(memory.Newest()));
  const double x = memory.gap > 0 ? DoubleLog(memory.gap) : r - 40;
  elapsed = static_cast<float>(DoubleLog(1 + DoubleExp(x - r)));
  intervals = static_cast<float>(memory.log_gap[4].weight);
}

std::vector<Vector> MarkInputs(const Memory& memory) {
  const Mark& newest = memory.Newest();
  const Shares shares(newest);
  const auto now = static_cast<uint32_t>(memory.count - 1);
  const float weights[2] = {static_cast<float>(memory.mark_weight[0]), static_cast<float>(memory.mark_weight[1])};
  const size_t live = memory.marks.size();
  const uint8_t paired = memory.pairs[Memory::Pair(memory.before, memory.slot)];
  std::vector<Vector> all;
  for (size_t k = 0; k < live; ++k) {
    const Mark& mark = memory.marks[k];
    const uint32_t since = now - mark.last;
    const auto time = static_cast<float>(std::max(memory.clock - mark.last_time, kLeastTime));
    all.push_back({Log((mark.often[0] * Memory::Kept(0, since)) / weights[0] + 0.003f),
                   Log((mark.often[1] * Memory::Kept(1, since)) / weights[1] + 0.001f),
                   Log((static_cast<float>(mark.count) + 0.1f) / static_cast<float>(memory.count)),
                   Log(1.0f + static_cast<float>(since)), k == memory.slot ? 1.0f : 0.0f, Log(shares.recent[k]),
                   Log(shares.equal[k]), newest.successor_count > 0 && newest.successors[0] == k ? 1.0f : 0.0f,
                   paired == k ? 1.0f : 0.0f,
                   mark.gap_count > 0 ? Clamp(Log(time) - mark.gap_mean, -6.0f, 6.0f) / 2.0f : 0.0f,
                   k == memory.slot + size_t{1} ? 1.0f : 0.0f, static_cast<float>(k) / static_cast<float>(live),
                   mark.count == 1 ? 1.0f : 0.0f, static_cast<float>(DoubleLog(1.0 + shares.known) / 2),
                   Log(1.0f + static_cast<float>(now - mark.first)) / 3.0f});
  }
  return all;
}

}  // namespace aaren::specification::events
