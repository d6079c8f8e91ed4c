#ifndef AAREN_MODEL_ENGINE_CUDA_TRIAL_H_
#define AAREN_MODEL_ENGINE_CUDA_TRIAL_H_

// A trial of an engine before it serves: some series go through it and through another that is known to be right, in
// ragged batches with missing values, and every bit is compared. So a device that rounds otherwise, or a driver that
// compiles otherwise, is told from one that may be trusted.
//
// Threading: a plain function.

#include <cstddef>

#include "absl/status/status.h"
#include "model/engine/engine.h"

namespace aaren::engine {

// Three batches, the last of about so many tokens; a CPU takes 30 us for each of them. Internal, naming what differs
// and where, if the two do not agree to the bit; else the first error of either.
absl::Status TryOut(const Engine& engine, const Engine& right, size_t tokens);

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_CUDA_TRIAL_H_
