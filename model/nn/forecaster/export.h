#ifndef AAREN_MODEL_NN_FORECASTER_EXPORT_H_
#define AAREN_MODEL_NN_FORECASTER_EXPORT_H_

// Turns a trained module into the package that the engine serves. Queries are folded into scores and rotations
// tabulated, both in float64; all other weights are copied.

#include <map>
#include <string>

#include "model/nn/forecaster/forecaster.h"
#include "model/package/package.h"

namespace aaren::nn {

// The package's tensors (package.h lists them) and config. The caller fills in name, version and all other fields.
package::ModelPackage ToPackage(Forecaster forecaster);

// Rounds the matrices' weights to bfloat16, because the engine reads half as many bytes for a token alone. The
// rounding, 1 in 512 at most, is far below the uncertainty that training leaves.
void RoundMatrices(package::ModelPackage& package);

}  // namespace aaren::nn

#endif  // AAREN_MODEL_NN_FORECASTER_EXPORT_H_
