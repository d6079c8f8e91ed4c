#include "model/tasks/events/rules/mark_rules.h"

namespace aaren::events {
namespace {

constexpr double kCountKeep = 0.995, kAfterKeep = 0.9, kRepeatKept = 0.97;

double SumOf(const std::map<uint64_t, double>& counts) {
  double sum = 0;
  for (const auto& [mark, count] : counts) sum += count;
  return sum;
}

void Count(uint64_t mark, double keep, std::map<uint64_t, double>& counts) {
  for (auto& [other, count] : counts) count *= keep;
  counts[mark] += 1;
}

}  // namespace

void MarkRules::Observe(uint64_t mark) {
  const bool fresh = !counts_.contains(mark);
  if (events_ > 0) {
    Count(mark, kAfterKeep, after_[last_]);
    repeats_ = kRepeatKept * repeats_ + (mark == last_ ? 1 : 0);
    chances_ = kRepeatKept * chances_ + 1;
  }
  events_ = kCountKeep * events_ + 1;
  fresh_ = kCountKeep * fresh_ + (fresh ? 1 : 0);
  Count(mark, kCountKeep, counts_);
  last_ = mark;
}

MarkForecast MarkRules::Frequency() const {
  MarkForecast forecast = {.known = {}, .fresh = (fresh_ + 0.1) / (events_ + 0.3)};
  const double sum = SumOf(counts_);
  for (const auto& [mark, count] : counts_) forecast.known[mark] = (1 - forecast.fresh) * count / sum;
  return forecast;
}

MarkForecast MarkRules::Transitions() const {
  MarkForecast forecast = Frequency();
  const auto found = after_.find(last_);
  if (found == after_.end()) return forecast;
  const double seen = SumOf(found->second), share = seen / (seen + 1);
  for (auto& [mark, probability] : forecast.known) probability *= 1 - share;
  // How often the rule's successors were new is not known mark by mark, so "new" keeps its frequency.
  for (const auto& [mark, count] : found->second) {
    forecast.known[mark] += share * (1 - forecast.fresh) * count / seen;
  }
  return forecast;
}

MarkForecast MarkRules::Repeat() const {
  MarkForecast forecast = Frequency();
  if (chances_ == 0) return forecast;
  const double share = (repeats_ + 0.5) / (chances_ + 1);
  for (auto& [mark, probability] : forecast.known) probability *= 1 - share;
  forecast.fresh *= 1 - share;
  forecast.known[last_] += share;
  return forecast;
}

std::vector<std::pair<std::string, MarkForecast (MarkRules::*)() const>> MarkRules::All() {
  return {{"frequency", &MarkRules::Frequency},
          {"transitions", &MarkRules::Transitions},
          {"repeat or frequency", &MarkRules::Repeat}};
}

}  // namespace aaren::events
