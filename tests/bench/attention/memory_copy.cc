#include "tests/bench/attention/memory_copy.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cstring>

#include "hwy/cache_control.h"
#include "hwy/highway.h"

namespace aaren::bench {
namespace {

constexpr int64_t kLine = 16;  // numbers in a line of the cache

// Calls copy(begin, count) for each thread's stretch, of whole lines but for the last.
template <typename Copy>
void ForStretches(int64_t count, const Copy& copy) {
  const int64_t lines = (count + kLine - 1) / kLine, threads = at::get_num_threads();
  at::parallel_for(0, lines, (lines + threads - 1) / threads, [&](int64_t begin, int64_t end) {
    copy(begin * kLine, std::min(end * kLine, count) - begin * kLine);
  });
}

}  // namespace

void CopyInStretches(const float* from, float* to, int64_t count) {
  ForStretches(count, [=](int64_t begin, int64_t n) {
    std::memcpy(to + begin, from + begin, static_cast<size_t>(n) * sizeof(float));
  });
}

void StreamInStretches(const float* from, float* to, int64_t count) {
  namespace hn = hwy::HWY_NAMESPACE;
  ForStretches(count, [=](int64_t begin, int64_t n) {
    const hn::CappedTag<float, kLine> d;
    const auto lanes = static_cast<int64_t>(hn::Lanes(d));
    const int64_t whole = n / lanes * lanes;
    for (int64_t i = begin; i < begin + whole; i += lanes) hn::Stream(hn::LoadU(d, from + i), d, to + i);
    std::copy(from + begin + whole, from + begin + n, to + begin + whole);
    hwy::FlushStream();
  });
}

}  // namespace aaren::bench
