#ifndef AAREN_MODEL_ENGINE_EVENTS_EVENT_TASK_H_
#define AAREN_MODEL_ENGINE_EVENTS_EVENT_TASK_H_

// The task of a forecaster of events: events enter (event_token.h), and forecasts of the time and the mark of the next
// event leave. A row is an EventRow and a claim.

#include <memory>

#include "absl/status/statusor.h"
#include "model/engine/task.h"
#include "model/package/package.h"

namespace aaren::events {

// InvalidArgument, naming the tensor, for a package of other tensors. FailedPrecondition on a CPU without FMA.
absl::StatusOr<std::unique_ptr<engine::Task>> NewEventTask(const package::ModelPackage& package);

}  // namespace aaren::events

#endif  // AAREN_MODEL_ENGINE_EVENTS_EVENT_TASK_H_
