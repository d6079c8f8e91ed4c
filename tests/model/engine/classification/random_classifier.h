#ifndef AAREN_TESTS_MODEL_ENGINE_CLASSIFICATION_RANDOM_CLASSIFIER_H_
#define AAREN_TESTS_MODEL_ENGINE_CLASSIFICATION_RANDOM_CLASSIFIER_H_

// A classifier with random weights, random series, and a second implementation of the classifier to compare with.

#include <cstdint>
#include <vector>

#include "model/package/package.h"

namespace aaren::classification {

struct RandomSizes {
  size_t channels = 3, classes = 4;
  int steps = 100;
};

package::ModelPackage RandomClassifierPackage(uint64_t seed, const RandomSizes& sizes = {});

using Series = std::vector<std::vector<double>>;  // [tokens][V]

// Numbers in the units of the package's channels.
Series RandomSeries(uint64_t seed, size_t tokens, const package::ClassifierConfig& config);

// The probabilities [C] after a whole series without missing numbers, in float64: softmax attention over all tokens at
// once, and no state.
std::vector<double> ReferenceProbabilities(const package::ModelPackage& package, const Series& series);

}  // namespace aaren::classification

#endif  // AAREN_TESTS_MODEL_ENGINE_CLASSIFICATION_RANDOM_CLASSIFIER_H_
