#include <ATen/Parallel.h>

#include "model/attention/scan/scan_kernel.h"
#include "model/attention/scan/scan_sequence.h"

namespace aaren::attention {
namespace {

// Results of more bytes bypass the caches, where results would only evict data still to be read.
constexpr int64_t kLargestCachedBytes = int64_t{8} << 20;

template <typename Float>
bool GoesAroundCache(const ScanShape& shape) {
  return shape.series * shape.heads * shape.tokens * shape.width * static_cast<int64_t>(sizeof(Float)) >
         kLargestCachedBytes;
}

template <typename Float>
TokenRows<Float> RowsOf(Float* data, const ScanShape& shape, const ScanStrides& strides, int64_t sequence) {
  return {data + sequence / shape.heads * strides.series + sequence % shape.heads * strides.head, strides.token};
}

template <typename Float>
ForwardSequence<Float> SequenceOf(const ScanForward<Float>& call, int64_t sequence) {
  const ScanShape& shape = call.shape;
  return {.tokens = shape.tokens,
          .width = shape.width,
          .scores = call.scores + sequence * shape.tokens,
          .elapsed = call.elapsed,
          .decay = call.elapsed == nullptr ? 0 : call.decay[sequence % shape.heads],
          .values = RowsOf(call.values, shape, call.value_strides, sequence),
          .outputs = RowsOf(call.outputs, shape, call.output_strides, sequence),
          .shares = call.shares == nullptr ? nullptr : call.shares + sequence * shape.tokens,
          .around_cache = GoesAroundCache<Float>(shape)};
}

template <typename Float>
BackwardSequence<Float> SequenceOf(const ScanBackward<Float>& call, int64_t sequence) {
  const ScanShape& shape = call.shape;
  return {.tokens = shape.tokens,
          .width = shape.width,
          .shares = call.shares + sequence * shape.tokens,
          .values = RowsOf(call.values, shape, call.value_strides, sequence),
          .outputs = RowsOf(call.outputs, shape, call.output_strides, sequence),
          .gradients = RowsOf(call.gradients, shape, call.gradient_strides, sequence),
          .score_gradients = call.score_gradients + sequence * shape.tokens,
          .value_gradients = RowsOf(call.value_gradients, shape, call.value_gradient_strides, sequence),
          .around_cache = GoesAroundCache<Float>(shape)};
}

// Each sequence is computed by one thread, because sequences are independent. So results do not depend on the number of
// threads.
template <typename Function>
void ForEachSequence(const ScanShape& shape, const Function& run) {
  at::parallel_for(0, shape.series * shape.heads, 1, [&](int64_t begin, int64_t end) {
    for (int64_t sequence = begin; sequence < end; ++sequence) run(sequence);
  });
}

template <typename Float>
void Forward(const ScanForward<Float>& call) {
  ForEachSequence(call.shape, [&](int64_t sequence) { RunForward(SequenceOf(call, sequence)); });
}

template <typename Float>
void Backward(const ScanBackward<Float>& call) {
  ForEachSequence(call.shape, [&](int64_t sequence) { RunBackward(SequenceOf(call, sequence)); });
}

}  // namespace

void ScanOnCpu(const ScanForward<float>& call) { Forward(call); }
void ScanOnCpu(const ScanForward<double>& call) { Forward(call); }
void ScanOnCpu(const ScanBackward<float>& call) { Backward(call); }
void ScanOnCpu(const ScanBackward<double>& call) { Backward(call); }

}  // namespace aaren::attention
