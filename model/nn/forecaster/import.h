#ifndef AAREN_MODEL_NN_FORECASTER_IMPORT_H_
#define AAREN_MODEL_NN_FORECASTER_IMPORT_H_

// Loads a package's weights into a module, to continue an earlier training.

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "model/nn/forecaster/forecaster.h"
#include "model/package/package.h"

namespace aaren::nn {

// Gives the forecaster the package's weights whose names and shapes agree. Inputs that only the forecaster has start
// without effect: a matrix over a token's input may lack the last columns, which become 0. A package holds each query
// folded into scores. So keys change by the least that gives these scores with the forecaster's own query.
//
// Returns the names of the package's tensors that did not fit. FailedPrecondition, before any change, if the package
// turns values at other rates.
absl::StatusOr<std::vector<std::string>> TakeWeights(const package::ModelPackage& package, Forecaster& forecaster);

}  // namespace aaren::nn

#endif  // AAREN_MODEL_NN_FORECASTER_IMPORT_H_
