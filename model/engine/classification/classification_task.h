#ifndef AAREN_MODEL_ENGINE_CLASSIFICATION_CLASSIFICATION_TASK_H_
#define AAREN_MODEL_ENGINE_CLASSIFICATION_CLASSIFICATION_TASK_H_

// The task of a classifier of series: tokens of V numbers enter, a double in the place of two floats each
// (model/engine/forecast_result.h), and probabilities of the C classes leave after every token.
//
// A number is standardised by its channel's mean and deviation. NaN is a missing number, and stands for the last number
// of its channel; before the first number for the channel's mean. A token behind the model's last step changes nothing.

#include <memory>

#include "absl/status/statusor.h"
#include "model/engine/task.h"
#include "model/package/package.h"

namespace aaren::classification {

// InvalidArgument, naming the field or tensor, for a package of other sizes or tensors.
absl::StatusOr<std::unique_ptr<engine::Task>> NewClassificationTask(const package::ModelPackage& package);

}  // namespace aaren::classification

#endif  // AAREN_MODEL_ENGINE_CLASSIFICATION_CLASSIFICATION_TASK_H_
