#ifndef AAREN_TESTS_BENCH_ATTENTION_MEMORY_COPY_H_
#define AAREN_TESTS_BENCH_ATTENTION_MEMORY_COPY_H_

// What a plain copy of memory costs, the roof of all that reads and writes each number once. On torch's threads, a
// stretch of memory each; the two buffers do not overlap.

#include <cstdint>

namespace aaren::bench {

// With memcpy, which goes through the caches unless a stretch is about as large as they are.
void CopyInStretches(const float* from, float* to, int64_t count);

// With stores that go past the caches, so that what is written need not be read before. REQUIRES: `to` aligned to 64
// bytes.
void StreamInStretches(const float* from, float* to, int64_t count);

}  // namespace aaren::bench

#endif  // AAREN_TESTS_BENCH_ATTENTION_MEMORY_COPY_H_
