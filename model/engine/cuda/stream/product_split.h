#ifndef AAREN_MODEL_ENGINE_CUDA_STREAM_PRODUCT_SPLIT_H_
#define AAREN_MODEL_ENGINE_CUDA_STREAM_PRODUCT_SPLIT_H_

// How the threads of a block share out products with one barrier at the end of all: shapes, and places of warps. Costs
// are cycles of a processor: the issue, multipliers and shared memory of an H200 were measured.
// Threading: free functions.

#include <vector>

#include "model/engine/cuda/stream/plan.h"

namespace aaren::engine {

// A product's outputs of one block.
struct ProductTask {
  int instruction = 0;
  int depth = 0, columns = 0;
  bool gate = false;
};

// Consecutive outputs of a task, and their threads.
struct ProductPart {
  size_t task = 0;
  int first = 0, columns = 0;  // outputs
  int shape = 0, split = 1;
  int threads_wide = 0, first_warp = 0, warps = 0;
};

struct SplitLimits {
  StreamForm form;
  int chunk_bytes;
  int scratch_lines;  // for the sums of split products, all together
};

// Empty if no shape fits some task.
std::vector<ProductPart> SplitProducts(const std::vector<ProductTask>& tasks, const SplitLimits& limits);

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_CUDA_STREAM_PRODUCT_SPLIT_H_
