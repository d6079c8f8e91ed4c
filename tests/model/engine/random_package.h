#ifndef AAREN_TESTS_MODEL_ENGINE_RANDOM_PACKAGE_H_
#define AAREN_TESTS_MODEL_ENGINE_RANDOM_PACKAGE_H_

// A model package of random weights, shaped and scaled like a trained package, so that every part of the engine works.
// The package is made in microseconds. Equal seeds give equal bits on every machine and standard library.

#include <cstdint>

#include "model/package/package.h"

namespace aaren::engine {

// A config with few and awkward sizes: no size is a multiple of a vector.
package::ForecasterConfig TinyConfig();

// REQUIRES: config.Validate() is OK. The package has no digest until saved.
package::ModelPackage RandomPackage(const package::ForecasterConfig& config, uint64_t seed);

}  // namespace aaren::engine

#endif  // AAREN_TESTS_MODEL_ENGINE_RANDOM_PACKAGE_H_
