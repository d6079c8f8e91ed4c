#include "model/tasks/events/synthetic.h"

#include <algorithm>
#include <cmath>

#include "model/tasks/events/marks.h"
#include "model/tasks/events/processes/process.h"

namespace aaren::events {
namespace {

constexpr double kLeastGap = 1e-9, kMostGap = 1e12;  // in medians
constexpr double kYears = 50 * 365.25 * 86400;       // seconds

double Median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

// Marks lengthen or shorten the interval after them.
void ShiftByMarks(Random& random, Drawn& drawn) {
  const double spread = random.Uniform(0.3, 2);
  std::vector<double> shifts;
  for (size_t i = 0; i < drawn.gaps.size(); ++i) {
    const auto mark = static_cast<size_t>(drawn.marks[i]);
    while (shifts.size() <= mark) shifts.push_back(std::exp(spread * random.Normal()));
    drawn.gaps[i] *= shifts[mark];
  }
}

// Some events come several times at one moment.
void Duplicate(Random& random, Drawn& drawn) {
  const double share = random.LogUniform(0.005, 0.3);
  const bool same = random.Chance(0.5);
  for (size_t i = 0; i < drawn.gaps.size(); ++i) {
    if (!random.Chance(share)) continue;
    drawn.gaps[i] = 0;
    if (same) drawn.marks[i + 1] = drawn.marks[i];
  }
}

Drawn DrawProcess(Random& random, int gaps) {
  Drawn drawn = Processes()[random.Below(static_cast<int>(Processes().size()))].draw(random, gaps);
  const bool own = !drawn.marks.empty();
  if (!own) drawn.marks = DrawMarks(random, drawn.gaps);
  const double median = Median(drawn.gaps);
  for (double& gap : drawn.gaps) gap = std::clamp(gap, kLeastGap * median, kMostGap * median);
  if (!own && random.Chance(0.35)) ShiftByMarks(random, drawn);
  return drawn;
}

// The unit of the times that a clock rounds to: a part of the usual interval, or seconds, minutes and hours.
double AnyRounding(Random& random, double median) {
  if (random.Chance(0.5)) return median * TenTo(random, -2.5, 0.3);
  double unit = 1e-6;
  for (const double coarser : {1e-3, 1.0, 60.0, 3600.0, 86400.0}) {
    if (coarser < 2 * median && random.Chance(0.8)) unit = coarser;
  }
  return unit;
}

}  // namespace

EventSequence SyntheticEvents(uint64_t seed, uint64_t index, int events) {
  Random random(seed, index);
  Drawn drawn = DrawProcess(random, events - 1);
  const double median = Median(drawn.gaps);
  if (random.Chance(0.1)) Duplicate(random, drawn);
  const double unit = drawn.seconds ? 1 : TenTo(random, -4, 8) / median;
  EventSequence sequence;
  if (random.Chance(0.3)) sequence.rounding = AnyRounding(random, unit * median);
  if (random.Chance(0.6)) sequence.epoch = random.Uniform(0, kYears);
  double exact = sequence.rounding * random.Uniform();
  for (int i = 0; i < events; ++i) {
    const double rounded = sequence.rounding > 0 ? std::floor(exact / sequence.rounding) * sequence.rounding : exact;
    sequence.times.push_back(rounded);
    if (i + 1 < events) exact += unit * drawn.gaps[i];
  }
  const double first = sequence.times[0];
  for (double& time : sequence.times) time -= first;
  sequence.marks = std::move(drawn.marks);
  return sequence;
}

}  // namespace aaren::events
