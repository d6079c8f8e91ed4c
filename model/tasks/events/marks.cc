#include "model/tasks/events/marks.h"

#include <algorithm>
#include <cmath>

namespace aaren::events {
namespace {

using forecasting::Random;

// A number below weights.size(), by weight.
int ByWeight(Random& random, const std::vector<double>& weights) {
  double whole = 0;
  for (const double weight : weights) whole += weight;
  double at = whole * random.Uniform();
  for (size_t k = 0; k + 1 < weights.size(); ++k) {
    if ((at -= weights[k]) < 0) return static_cast<int>(k);
  }
  return static_cast<int>(weights.size()) - 1;
}

int AnyCount(Random& random) { return static_cast<int>(random.LogUniform(2, 200)); }

std::vector<double> Zipf(Random& random, int count) {
  const double fall = random.Uniform(0, 2);
  std::vector<double> weights;
  for (int k = 0; k < count; ++k) weights.push_back(std::pow(k + 1, -fall));
  return weights;
}

std::vector<int> OneMark(Random&, size_t events) { return std::vector<int>(events, 0); }

std::vector<int> Frequencies(Random& random, size_t events) {
  const std::vector<double> weights = Zipf(random, AnyCount(random));
  std::vector<int> marks(events);
  for (int& mark : marks) mark = ByWeight(random, weights);
  return marks;
}

// A chain that stays, goes on to the next mark, follows a habit of the present mark, or draws anew.
std::vector<int> Chain(Random& random, size_t events) {
  const int count = AnyCount(random);
  const std::vector<double> weights = Zipf(random, count);
  const double stay = random.Chance(0.5) ? random.Uniform() : 0, on = random.Chance(0.4) ? random.Uniform() : 0;
  const double habit = random.Chance(0.6) ? random.Uniform() : 0;
  std::vector<int> habits(count), marks(events);
  for (int& one : habits) one = ByWeight(random, weights);
  for (size_t i = 0; i < events; ++i) {
    const int before = i == 0 ? 0 : marks[i - 1];
    marks[i] = random.Chance(stay)    ? before
               : random.Chance(on)    ? (before + 1) % count
               : random.Chance(habit) ? habits[before]
                                      : ByWeight(random, weights);
  }
  return marks;
}

// The Pitman-Yor process, with repeats of the mark before or a liking for recent marks.
std::vector<int> Words(Random& random, size_t events) {
  const double strength = random.LogUniform(0.3, 30), discount = random.Uniform(0, 0.8);
  const double repeat = random.Chance(0.6) ? random.Uniform(0, 0.9) : 0,
               recent = random.Chance(0.5) ? random.Uniform() : 0;
  const double reach = random.LogUniform(2, 40);
  std::vector<double> counts;
  std::vector<int> marks;
  for (size_t i = 0; i < events; ++i) {
    int mark;
    if (i > 0 && random.Chance(repeat)) {
      mark = marks.back();
    } else if (i > 0 && random.Chance(recent)) {
      const auto back = static_cast<size_t>(reach * random.Exponential());
      mark = marks[i - 1 - std::min(back, i - 1)];
    } else {
      std::vector<double> weights = counts;
      for (double& weight : weights) weight -= discount;
      weights.push_back(strength + discount * static_cast<double>(counts.size()));
      mark = ByWeight(random, weights);
    }
    if (mark == static_cast<int>(counts.size())) counts.push_back(0);
    ++counts[mark];
    marks.push_back(mark);
  }
  return marks;
}

// Steps of a course: mostly the next, sometimes the same, one before, or a jump ahead.
std::vector<int> Curriculum(Random& random, size_t events) {
  const double same = random.Uniform(0, 0.6), back = random.Uniform(0, 0.3), ahead = random.Uniform(0, 0.15);
  std::vector<int> marks;
  int at = 0, furthest = 0;
  for (size_t i = 0; i < events; ++i) {
    marks.push_back(at);
    furthest = std::max(furthest, at);
    if (random.Chance(same)) continue;
    if (random.Chance(back)) {
      at = std::max(0, at - 1 - random.Below(5));
    } else {
      at = random.Chance(ahead) ? at + 1 + random.Below(4) : (random.Chance(0.3) ? furthest + 1 : at + 1);
    }
  }
  return marks;
}

std::vector<int> OnceOnly(Random& random, size_t events) {
  const double known = random.Chance(0.5) ? random.Uniform(0, 0.5) : 0;
  std::vector<int> marks;
  for (size_t i = 0; i < events; ++i) marks.push_back(random.Chance(known) ? 0 : static_cast<int>(i) + 1);
  return marks;
}

// A cycle with errors, whose words change now and then.
std::vector<int> Cycle(Random& random, size_t events) {
  const int length = static_cast<int>(random.LogUniform(2, 40)), count = AnyCount(random);
  const double error = random.Chance(0.6) ? random.LogUniform(0.01, 0.4) : 0;
  const double change = random.Chance(0.4) ? random.LogUniform(0.002, 0.05) : 0;
  std::vector<int> cycle(length), marks;
  for (int& one : cycle) one = random.Below(count);
  size_t at = 0;
  for (size_t i = 0; i < events; ++i) {
    if (random.Chance(change)) {
      for (int& one : cycle) one = random.Below(count);
    }
    marks.push_back(random.Chance(error) ? random.Below(count) : cycle[at % cycle.size()]);
    ++at;
  }
  return marks;
}

// The interval before an event decides its mark, with errors.
std::vector<int> ByInterval(Random& random, absl::Span<const double> gaps) {
  const int count = 2 + random.Below(8);
  const double error = random.Uniform(0, 0.5);
  std::vector<double> sorted(gaps.begin(), gaps.end());
  std::sort(sorted.begin(), sorted.end());
  std::vector<int> marks = {random.Below(count)};
  for (const double gap : gaps) {
    const auto rank = std::lower_bound(sorted.begin(), sorted.end(), gap) - sorted.begin();
    const auto part = static_cast<int>(rank * count / static_cast<std::ptrdiff_t>(sorted.size()));
    marks.push_back(random.Chance(error) ? random.Below(count) : std::min(part, count - 1));
  }
  return marks;
}

}  // namespace

std::vector<int> DrawMarks(Random& random, absl::Span<const double> gaps) {
  using Draw = std::vector<int> (*)(Random&, size_t);
  static constexpr Draw kDraws[] = {OneMark, Frequencies, Chain, Words, Curriculum, OnceOnly, Cycle};
  static constexpr double kWeights[] = {0.12, 0.16, 0.2, 0.22, 0.1, 0.04, 0.08, 0.08};  // the last is by interval
  const int kind = ByWeight(random, std::vector<double>(std::begin(kWeights), std::end(kWeights)));
  if (kind == static_cast<int>(std::size(kDraws))) return ByInterval(random, gaps);
  return kDraws[kind](random, gaps.size() + 1);
}

}  // namespace aaren::events
