#ifndef AAREN_MODEL_ENGINE_CUDA_TRIAL_H_
#define AAREN_MODEL_ENGINE_CUDA_TRIAL_H_

// A trial of an engine before the engine serves: some series pass the engine and a second engine known to be right, in
// ragged batches with missing values, and every bit is compared. The trial finds a device with another rounding, and a
// driver that compiles in another way.
//
// Threading: a plain function.

#include <cstddef>

#include "absl/status/status.h"
#include "model/engine/engine.h"

namespace aaren::engine {

// Compares three batches, the last of about `tokens` tokens; a CPU takes 30 us for each token. Internal, naming the
// first difference, unless both engines agree to the bit. An error of either engine is returned.
absl::Status TryOut(const Engine& engine, const Engine& right, size_t tokens);

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_CUDA_TRIAL_H_
