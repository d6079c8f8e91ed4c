#include <ATen/Parallel.h>

#include "model/attention/scan/scan_kernel.h"
#include "model/attention/scan/scan_stream.h"

namespace aaren::attention {
namespace {

// Results of more bytes than this go around the caches, where they would only push out what is still to be read.
constexpr int64_t kLargestCachedBytes = int64_t{8} << 20;

template <typename Float>
bool GoesAroundCache(const ScanShape& shape) {
  return shape.series * shape.heads * shape.tokens * shape.width * static_cast<int64_t>(sizeof(Float)) >
         kLargestCachedBytes;
}

template <typename Float>
TokenRows<Float> RowsOf(Float* data, const ScanShape& shape, const ScanStrides& strides, int64_t stream) {
  return {data + stream / shape.heads * strides.series + stream % shape.heads * strides.head, strides.token};
}

template <typename Float>
ForwardStream<Float> StreamOf(const ScanForward<Float>& call, int64_t stream) {
  const ScanShape& shape = call.shape;
  return {.tokens = shape.tokens,
          .width = shape.width,
          .scores = call.scores + stream * shape.tokens,
          .elapsed = call.elapsed,
          .decay = call.elapsed == nullptr ? 0 : call.decay[stream % shape.heads],
          .values = RowsOf(call.values, shape, call.value_strides, stream),
          .outputs = RowsOf(call.outputs, shape, call.output_strides, stream),
          .shares = call.shares == nullptr ? nullptr : call.shares + stream * shape.tokens,
          .around_cache = GoesAroundCache<Float>(shape)};
}

template <typename Float>
BackwardStream<Float> StreamOf(const ScanBackward<Float>& call, int64_t stream) {
  const ScanShape& shape = call.shape;
  return {.tokens = shape.tokens,
          .width = shape.width,
          .shares = call.shares + stream * shape.tokens,
          .values = RowsOf(call.values, shape, call.value_strides, stream),
          .outputs = RowsOf(call.outputs, shape, call.output_strides, stream),
          .gradients = RowsOf(call.gradients, shape, call.gradient_strides, stream),
          .score_gradients = call.score_gradients + stream * shape.tokens,
          .value_gradients = RowsOf(call.value_gradients, shape, call.value_gradient_strides, stream),
          .around_cache = GoesAroundCache<Float>(shape)};
}

// Streams are independent, so each is one thread's, whatever the number of threads: the results do not depend on it.
template <typename Function>
void ForEachStream(const ScanShape& shape, const Function& run) {
  at::parallel_for(0, shape.series * shape.heads, 1, [&](int64_t begin, int64_t end) {
    for (int64_t stream = begin; stream < end; ++stream) run(stream);
  });
}

template <typename Float>
void Forward(const ScanForward<Float>& call) {
  ForEachStream(call.shape, [&](int64_t stream) { RunForward(StreamOf(call, stream)); });
}

template <typename Float>
void Backward(const ScanBackward<Float>& call) {
  ForEachStream(call.shape, [&](int64_t stream) { RunBackward(StreamOf(call, stream)); });
}

}  // namespace

void ScanOnCpu(const ScanForward<float>& call) { Forward(call); }
void ScanOnCpu(const ScanForward<double>& call) { Forward(call); }
void ScanOnCpu(const ScanBackward<float>& call) { Backward(call); }
void ScanOnCpu(const ScanBackward<double>& call) { Backward(call); }

}  // namespace aaren::attention
