#ifndef AAREN_MODEL_NN_FORECASTER_IMPORT_H_
#define AAREN_MODEL_NN_FORECASTER_IMPORT_H_

// From a package back to a module, so that training may begin where another ended.

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "model/nn/forecaster/forecaster.h"
#include "model/package/package.h"

namespace aaren::nn {

// Gives the forecaster those of the package's weights whose names and shapes agree. Inputs that only the forecaster has
// start without effect: matrices over a token's input may lack the last columns, which become 0. A package holds each
// query folded into its scores, so keys are changed as little as gives these scores with the forecaster's own query.
//
// Returns the package's tensors that did not fit. FailedPrecondition, before anything is changed, if the package turns
// its values at other rates.
absl::StatusOr<std::vector<std::string>> TakeWeights(const package::ModelPackage& package, Forecaster& forecaster);

}  // namespace aaren::nn

#endif  // AAREN_MODEL_NN_FORECASTER_IMPORT_H_
