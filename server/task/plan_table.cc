#include "server/task/plan_table.h"

#include <tuple>

namespace aaren::task {

bool PlanTable::Before::operator()(const OutputPlan& a, const OutputPlan& b) const {
  return std::tie(a.horizons, a.quantiles, a.every, a.surprise, a.refinement) <
         std::tie(b.horizons, b.quantiles, b.every, b.surprise, b.refinement);
}

const OutputPlan* PlanTable::Acquire(const OutputPlan& plan) {
  const auto entry = users_.try_emplace(plan, 0).first;
  ++entry->second;
  return &entry->first;
}

void PlanTable::Release(const OutputPlan* plan) {
  const auto entry = users_.find(*plan);
  if (--entry->second == 0) users_.erase(entry);
}

}  // namespace aaren::task
