#ifndef AAREN_MODEL_ENGINE_CUDA_STREAM_FORM_CHOICE_H_
#define AAREN_MODEL_ENGINE_CUDA_STREAM_FORM_CHOICE_H_

// The choice of the streamed kernel's form (plan.h) for a call: the quickest by measured times. The time taken
// from other calls under way counts, too. Threading: free functions.

#include <array>
#include <cstddef>
#include <cstdint>

#include "model/engine/cuda/stream/plan.h"

namespace aaren::engine {

// The best form for every call, or for a trial each in turn.
enum class KernelUse { kBest, kInTurn };

struct FormQuestion {
  std::array<int32_t, kStreamFormCount> clusters = {};  // side by side; 0: the form is not available
  int32_t processors = 1;
  size_t tokens = 1, longest_run = 1;
  int calls_under_way = 0;  // other calls
};

// The form's number, or -1 if there is none.
int ChooseForm(const FormQuestion& question);

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_CUDA_STREAM_FORM_CHOICE_H_
