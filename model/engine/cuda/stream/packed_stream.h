#ifndef AAREN_MODEL_ENGINE_CUDA_STREAM_PACKED_STREAM_H_
#define AAREN_MODEL_ENGINE_CUDA_STREAM_PACKED_STREAM_H_

// A PackedStream is a network's Program (program.h) made ready for the streamed kernel and one form (plan.h): steps,
// gains, and weights in the order in which threads read them. The packing decides the outputs of each thread.
//
// A streamed network needs bfloat16 weights; a width of 128; at most 256 inputs; depths that are multiples of 32;
// outputs that divide among the form's blocks; and room in shared memory. The plain kernel takes any other network.
// Threading: a plain value.

#include <vector>

#include "model/engine/cuda/network_image.h"
#include "model/engine/cuda/stream/plan.h"

namespace aaren::engine {

struct PackedStream {
  // REQUIRES: the program is the image's. shared_bytes: the shared memory of a block.
  PackedStream(const NetworkImage& image, StreamForm form, uint64_t shared_bytes);

  bool fits() const { return refusal == nullptr; }

  // The plan of `bytes` that were copied to `device`, aligned to 256. REQUIRES: fits().
  StreamPlan PlanAt(const std::byte* device) const;

  const char* refusal = nullptr;  // the reason why the network cannot be streamed by the form
  StreamPlan plan = {};           // without its pointers
  std::vector<StreamStep> steps;
  std::vector<std::byte> bytes;  // the streams of all ranks, gains, steps

 private:
  size_t gains_at_ = 0, steps_at_ = 0;
};

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_CUDA_STREAM_PACKED_STREAM_H_
