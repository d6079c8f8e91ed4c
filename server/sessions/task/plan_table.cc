#include "server/sessions/task/plan_table.h"

#include <tuple>
#include <vector>

namespace aaren::task {

bool PlanTable::Before::operator()(const OutputPlan& a, const OutputPlan& b) const {
  static const engine::Selection kNone;
  const engine::Selection &of_a = a.selection ? *a.selection : kNone, &of_b = b.selection ? *b.selection : kNone;
  // A new field of OutputPlan belongs in both lists: otherwise sessions with different plans would share one.
  return std::tie(a.horizons, a.quantiles, a.every, a.surprise, a.refinement, a.relative, a.events, of_a.steps,
                  of_a.levels, a.ahead) < std::tie(b.horizons, b.quantiles, b.every, b.surprise, b.refinement,
                                                   b.relative, b.events, of_b.steps, of_b.levels, b.ahead);
}

size_t PlanTable::BytesOf(const OutputPlan& plan) {
  constexpr size_t kNode = 48, kBlock = 16;  // a node of the tree; overhead of an allocation
  const auto bytes = [](const auto& list) { return list.empty() ? 0 : kBlock + list.size() * sizeof(list[0]); };
  size_t sum = sizeof(plan) + kNode + kBlock + bytes(plan.horizons) + bytes(plan.quantiles);
  sum += bytes(plan.events.spans_s) + bytes(plan.events.levels);
  if (plan.selection != nullptr) {
    sum += 2 * kBlock + sizeof(*plan.selection) + bytes(plan.selection->steps) + bytes(plan.selection->levels);
  }
  return sum;
}

const OutputPlan* PlanTable::Acquire(const OutputPlan& plan) {
  const auto [entry, added] = users_.try_emplace(plan, 0);
  if (added && budget_ != nullptr) budget_->Take(memory::MemoryBudget::Use::kSessions, BytesOf(plan));
  ++entry->second;
  // A node of a map never moves.
  return &entry->first;
}

void PlanTable::Release(const OutputPlan* plan) {
  const auto entry = users_.find(*plan);
  if (--entry->second > 0) return;
  if (budget_ != nullptr) budget_->Give(memory::MemoryBudget::Use::kSessions, BytesOf(*plan));
  users_.erase(entry);
}

}  // namespace aaren::task
