#include "tests/model/engine/events/reference_inputs.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

namespace aaren::events {
namespace {

using Numbers = std::vector<double>;

// The mean of values with weight keep^age; the newest value is the last.
double Faded(const Numbers& values, double keep) {
  double sum = 0, weights = 0, weight = 1;
  for (size_t i = values.size(); i-- > 0; weight *= keep) {
    sum += weight * values[i];
    weights += weight;
  }
  return weights > 0 ? sum / weights : 0;
}

double Clipped(double value, double most) { return std::clamp(value, -most, most); }

// All that inputs are made of, looked up in the history.
struct Facts {
  explicit Facts(const History& history) : history(history), last(history.times.size() - 1) {
    for (size_t i = 1; i <= last; ++i) {
      gaps.push_back(history.times[i] - history.times[i - 1]);
      ties.push_back(gaps.back() > 0 ? 0 : 1);
      if (!(gaps.back() > 0)) continue;
      logs.push_back(std::log(gaps.back()));
      const double scale = Faded(logs, 0.98);
      squares.push_back((logs.back() - scale) * (logs.back() - scale));
      scales.push_back({i, scale});
    }
    scale = Faded(logs, 0.98);
    for (size_t i = 0; i <= last; ++i) {
      fresh.push_back(Before(i).has_value() ? 0 : 1);
      repeats.push_back(i > 0 && history.marks[i] == history.marks[i - 1] ? 1 : 0);
      if (fresh.back() == 1) order.push_back(history.marks[i]);
    }
  }

  // The last event before event i with event i's mark.
  std::optional<size_t> Before(size_t i) const {
    for (size_t k = i; k-- > 0;) {
      if (history.marks[k] == history.marks[i]) return k;
    }
    return std::nullopt;
  }
  double ScaleAt(size_t event) const {
    double at = 0;
    for (const auto& [i, scale] : scales) at = i <= event ? scale : at;
    return at;
  }
  double Frequency(uint64_t mark, double keep) const {
    Numbers is;
    for (const uint64_t other : history.marks) is.push_back(other == mark ? 1 : 0);
    return Faded(is, keep);
  }
  Numbers LogsAfter(uint64_t mark) const {
    Numbers after;
    for (size_t i = 0; i < last; ++i) {
      if (history.marks[i] == mark && gaps[i] > 0) after.push_back(std::log(gaps[i]));
    }
    return after;
  }
  // The newest first.
  std::vector<uint64_t> Successors(uint64_t mark) const {
    std::vector<uint64_t> successors;
    for (size_t i = last; i-- > 0;) {
      if (history.marks[i] == mark && successors.size() < 8) successors.push_back(history.marks[i + 1]);
    }
    return successors;
  }

  const History& history;
  size_t last;
  Numbers gaps, ties, logs, squares, fresh, repeats;
  std::vector<std::pair<size_t, double>> scales;
  std::vector<uint64_t> order;  // marks, by first appearance
  double scale;
};

void PutRing(const Facts& facts, Numbers& to) {
  for (size_t j = 0; j < 16; ++j) {
    if (j >= facts.gaps.size()) {
      to.push_back(0);
      continue;
    }
    const double gap = facts.gaps[facts.gaps.size() - 1 - j];
    to.push_back((gap > 0 ? Clipped(std::log(gap) - facts.scale, 10) : -8) / 2);
  }
  for (size_t j = 1; j <= 16; ++j) {
    to.push_back(j <= facts.last && facts.history.marks[facts.last - j] == facts.history.marks[facts.last] ? 1 : 0);
  }
}

void PutMeans(const Facts& facts, Numbers& to) {
  for (const double keep : {0.5, 0.8, 0.95, 0.99}) to.push_back(Clipped(Faded(facts.logs, keep) - facts.scale, 8) / 2);
  for (const double keep : {0.8, 0.98}) to.push_back(0.5 * std::log(Faded(facts.squares, keep) + 0.01));
  to.push_back(Faded(facts.ties, 0.9));
  to.push_back(facts.ties.back());
  for (int c = 0; c < 10; ++c) {
    double trace = 0;
    for (size_t i = 1; i <= facts.last; ++i) {
      if (facts.scales.empty() || i < facts.scales[0].first) continue;
      trace = trace * std::exp(-facts.gaps[i - 1] / (std::pow(10, -1 + 0.5 * c) * std::exp(facts.ScaleAt(i)))) + 1;
    }
    to.push_back(std::log(trace) / 2);
  }
  for (const double keep : {0.8, 0.95, 0.99}) {
    to.push_back(Clipped(std::log(Faded(facts.gaps, keep)) - facts.scale, 12) / 2);
  }
  double equal = 0;
  for (size_t j = 1; j < std::min<size_t>(16, facts.gaps.size()); ++j) {
    equal += static_cast<float>(std::log(facts.gaps[facts.gaps.size() - 1 - j])) ==
             static_cast<float>(std::log(facts.gaps.back()));
  }
  to.push_back(equal / 4);
}

void PutMark(const Facts& facts, Numbers& to) {
  const uint64_t mark = facts.history.marks[facts.last];
  const std::optional<size_t> before = facts.Before(facts.last);
  const Numbers after = facts.LogsAfter(mark);
  double mean = 0, variance = 0;
  for (size_t i = 0; i < after.size(); ++i) {
    const double share = 1.0 / static_cast<double>(std::min<size_t>(i + 1, 12)), delta = after[i] - mean;
    mean += share * delta;
    variance = (1 - share) * variance + share * delta * (after[i] - mean);
  }
  const auto n = static_cast<double>(after.size());
  to.push_back(before.has_value() ? 0 : 1);
  to.push_back(before.has_value() ? std::log(1.0 + static_cast<double>(facts.last - *before)) / 3 : 0);
  for (const double keep : {0.9, 0.99}) to.push_back(facts.Frequency(mark, keep));
  to.push_back(facts.repeats.back());
  to.push_back(std::log(1.0 + static_cast<double>(facts.order.size())) / 2);
  for (const double keep : {0.8, 0.97}) to.push_back(Faded(facts.fresh, keep));
  to.push_back(n > 0 ? Clipped(mean - facts.scale, 10) * n / (n + 1) / 2 : 0);
  to.push_back(std::log(std::sqrt((n * variance + 1.5) / (n + 1))));
  to.push_back(std::log(1 + n) / 2);
  to.push_back(Faded(facts.repeats, 0.95));
  if (!before.has_value()) {
    to.push_back(0);
  } else {
    const double since = std::max(facts.history.times[facts.last] - facts.history.times[*before], 1e-12);
    to.push_back(Clipped(std::log(since) - facts.scale, 16) / 4);
  }
}

void PutCalendar(const Facts& facts, Numbers& to) {
  constexpr double kDay = 86400, kWeek = 7 * kDay, kTurn = 2 * std::numbers::pi;
  if (std::isnan(facts.history.epoch)) return to.resize(to.size() + 18, 0);
  const double now = facts.history.times[facts.last];
  to.push_back(1);
  to.push_back((facts.scale - std::log(kDay)) / 5);
  for (const double period : {kDay, kDay / 2, kWeek}) {
    const double phase = kTurn * std::fmod((facts.history.epoch + now) / period, 1);
    to.push_back(std::cos(phase));
    to.push_back(std::sin(phase));
  }
  for (const double period : {kDay, kDay / 2, kDay / 3, kWeek, kWeek / 2}) {
    Numbers cosines, sines;
    for (const double time : facts.history.times) {
      cosines.push_back(std::cos(kTurn * (now - time) / period));
      sines.push_back(-std::sin(kTurn * (now - time) / period));
    }
    to.push_back(Faded(cosines, 0.995));
    to.push_back(Faded(sines, 0.995));
  }
}

}  // namespace

std::vector<double> ReferenceInputs(const History& history) {
  const Facts facts(history);
  const auto i = static_cast<double>(facts.last);
  Numbers inputs = {std::log(1 + i) / 3 - 1, 1 / std::sqrt(i)};
  PutRing(facts, inputs);
  PutMeans(facts, inputs);
  PutMark(facts, inputs);
  PutCalendar(facts, inputs);
  return inputs;
}

std::vector<std::vector<double>> ReferenceMarkInputs(const History& history) {
  const Facts facts(history);
  const std::vector<uint64_t>& marks = history.marks;
  const uint64_t present = marks[facts.last];
  const std::vector<uint64_t> successors = facts.Successors(present);
  const auto known = static_cast<double>(successors.size()), now = static_cast<double>(facts.last);
  std::optional<uint64_t> paired;
  for (size_t i = 2; i <= facts.last; ++i) {
    if (facts.last > 0 && marks[i - 2] == marks[facts.last - 1] && marks[i - 1] == present) paired = marks[i];
  }
  std::vector<Numbers> all;
  for (size_t k = 0; k < facts.order.size(); ++k) {
    const uint64_t mark = facts.order[k];
    Numbers places, gaps;
    for (size_t i = 0; i <= facts.last; ++i) {
      if (marks[i] == mark) places.push_back(static_cast<double>(i));
    }
    double gap_mean = 0;
    for (size_t j = 1; j < places.size(); ++j) {
      const double gap =
          history.times[static_cast<size_t>(places[j])] - history.times[static_cast<size_t>(places[j - 1])];
      if (!(gap > 0)) continue;
      gaps.push_back(std::log(gap));
      gap_mean += (gaps.back() - gap_mean) / static_cast<double>(std::min<size_t>(gaps.size(), 12));
    }
    double recent = 0, equal = 0, weights = 0;
    for (size_t j = 0; j < successors.size(); ++j) {
      weights += std::pow(0.7, j);
      recent += successors[j] == mark ? std::pow(0.7, j) : 0;
      equal += successors[j] == mark ? 1 : 0;
    }
    const double since = std::max(history.times[facts.last] - history.times[static_cast<size_t>(places.back())], 1e-12);
    const auto count = static_cast<double>(places.size());
    const bool follows = k > 0 && facts.order[k - 1] == present;
    all.push_back({std::log(facts.Frequency(mark, 0.9) + 0.003), std::log(facts.Frequency(mark, 0.99) + 0.001),
                   std::log((count + 0.1) / (now + 1)), std::log(1 + now - places.back()), mark == present ? 1.0 : 0.0,
                   std::log((recent + 0.05) / (weights + 0.5)), std::log((equal + 0.1) / (known + 1)),
                   !successors.empty() && successors[0] == mark ? 1.0 : 0.0,
                   paired.has_value() && *paired == mark ? 1.0 : 0.0,
                   gaps.empty() ? 0 : Clipped(std::log(since) - gap_mean, 6) / 2, follows ? 1.0 : 0.0,
                   static_cast<double>(k) / static_cast<double>(facts.order.size()), places.size() == 1 ? 1.0 : 0.0,
                   std::log(1 + known) / 2, std::log(1 + now - places.front()) / 3});
  }
  return all;
}

}  // namespace aaren::events
