#ifndef AAREN_SERVER_SESSION_OUTPUT_PLAN_H_
#define AAREN_SERVER_SESSION_OUTPUT_PLAN_H_

// Output options of an Open, checked against the model, and the table in which equal ones are kept once: thousands of
// sessions on a server usually ask for the same. Threading: a PlanTable belongs to one shard.

#include <cstdint>
#include <map>

#include "model/package/config.h"
#include "server/session/peer.h"

namespace aaren::session {

// An OutputPlan, or the refusal that names the option the model cannot give.
Outcome<OutputPlan> ResolveOutput(const OutputRequest& request, const package::ForecasterConfig& config);

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

}  // namespace aaren::session

#endif  // AAREN_SERVER_SESSION_OUTPUT_PLAN_H_
