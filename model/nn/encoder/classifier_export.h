#ifndef AAREN_MODEL_NN_ENCODER_CLASSIFIER_EXPORT_H_
#define AAREN_MODEL_NN_ENCODER_CLASSIFIER_EXPORT_H_

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "model/nn/encoder/classifier.h"
#include "model/package/package.h"

namespace aaren::nn {

// The tensors of a package of this classifier (model/engine/classification/classifier_package.h). Keys and queries
// become a vector for each head, computed in float64. FailedPrecondition unless the mixer is an Aaren and the embedding
// causal.
absl::StatusOr<std::map<std::string, package::Tensor>> ClassifierTensors(const Classifier& classifier);

}  // namespace aaren::nn

#endif  // AAREN_MODEL_NN_ENCODER_CLASSIFIER_EXPORT_H_
