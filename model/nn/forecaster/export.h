#ifndef AAREN_MODEL_NN_FORECASTER_EXPORT_H_
#define AAREN_MODEL_NN_FORECASTER_EXPORT_H_

// From a trained module to the package that the engine serves: queries folded into scores and rotations tabulated, both
// in float64, everything else copied.

#include <map>
#include <string>

#include "model/nn/forecaster/forecaster.h"
#include "model/package/package.h"

namespace aaren::nn {

// The package's tensors (package.h lists them) and config; name, version and the rest are the caller's to fill in.
package::ModelPackage ToPackage(Forecaster forecaster);

// Rounds the matrices' weights to bfloat16, of which the engine reads half as many bytes for a token alone. Their
// rounding, 1 in 512 at most, is far below what training leaves undecided.
void RoundMatrices(package::ModelPackage& package);

}  // namespace aaren::nn

#endif  // AAREN_MODEL_NN_FORECASTER_EXPORT_H_
