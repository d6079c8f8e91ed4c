#ifndef AAREN_SERVER_TASK_PLAN_TABLE_H_
#define AAREN_SERVER_TASK_PLAN_TABLE_H_

// The table in which equal plans are kept once: thousands of sessions on a server usually ask for the same. Threading:
// a PlanTable belongs to one shard.

#include <cstddef>
#include <cstdint>
#include <map>

#include "server/task/output.h"

namespace aaren::task {

class PlanTable {
 public:
  // A plan equal to this one; good until it is released as often as it was acquired.
  const OutputPlan* Acquire(const OutputPlan& plan);
  void Release(const OutputPlan* plan);

  size_t size() const { return users_.size(); }

 private:
  struct Before {
    bool operator()(const OutputPlan& a, const OutputPlan& b) const;
  };
  std::map<OutputPlan, uint32_t, Before> users_;
};

}  // namespace aaren::task

#endif  // AAREN_SERVER_TASK_PLAN_TABLE_H_
