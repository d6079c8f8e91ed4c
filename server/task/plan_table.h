#ifndef AAREN_SERVER_TASK_PLAN_TABLE_H_
#define AAREN_SERVER_TASK_PLAN_TABLE_H_

// The table in which equal plans are kept once: thousands of sessions on a server usually ask for the same. Where each
// asks for something else, a plan is larger than what is remembered of a session in the store only. So plans count.
//
// Threading: a PlanTable belongs to one shard.

#include <cstddef>
#include <cstdint>
#include <map>

#include "server/memory/memory_budget.h"
#include "server/task/output.h"

namespace aaren::task {

class PlanTable {
 public:
  // `budget`, which outlives this, is for what sessions cost; null: plans are not counted.
  explicit PlanTable(memory::MemoryBudget* budget = nullptr) : budget_(budget) {}

  // Of memory, about.
  static size_t BytesOf(const OutputPlan& plan);

  // A plan equal to this one; good until it is released as often as it was acquired.
  const OutputPlan* Acquire(const OutputPlan& plan);
  void Release(const OutputPlan* plan);

  size_t size() const { return users_.size(); }

 private:
  struct Before {
    bool operator()(const OutputPlan& a, const OutputPlan& b) const;
  };
  memory::MemoryBudget* const budget_;
  std::map<OutputPlan, uint32_t, Before> users_;
};

}  // namespace aaren::task

#endif  // AAREN_SERVER_TASK_PLAN_TABLE_H_
