#ifndef AAREN_SERVER_SESSIONS_TASK_PLAN_TABLE_H_
#define AAREN_SERVER_SESSIONS_TASK_PLAN_TABLE_H_

// A PlanTable keeps equal plans once: usually thousands of sessions on a server ask for the same outputs. If every
// session asks for other outputs, a plan is larger than the memory of a demoted session; hence plans count against the
// budget.
//
// Threading: a PlanTable belongs to one shard.

#include <cstddef>
#include <cstdint>
#include <map>

#include "server/machine/memory/memory_budget.h"
#include "server/sessions/task/output.h"

namespace aaren::task {

class PlanTable {
 public:
  // `budget`, for the cost of sessions, outlives the table; null: plans are not counted.
  explicit PlanTable(memory::MemoryBudget* budget = nullptr) : budget_(budget) {}

  // The memory of a plan, about.
  static size_t BytesOf(const OutputPlan& plan);

  // A plan equal to `plan`; valid until released as often as acquired.
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

#endif  // AAREN_SERVER_SESSIONS_TASK_PLAN_TABLE_H_
