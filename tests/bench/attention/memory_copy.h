#ifndef AAREN_TESTS_BENCH_ATTENTION_MEMORY_COPY_H_
#define AAREN_TESTS_BENCH_ATTENTION_MEMORY_COPY_H_

// The cost of a plain copy of memory, the roof for all code that reads and writes each number once. Runs on torch's
// threads, a stretch of memory each; the two buffers do not overlap.

#include <cstdint>

namespace aaren::bench {

// Copies with memcpy, through the caches unless a stretch is about as large as the caches.
void CopyInStretches(const float* from, float* to, int64_t count);

// Copies with stores past the caches: the target is not read first. REQUIRES: `to` aligned to 64
// bytes.
void StreamInStretches(const float* from, float* to, int64_t count);

}  // namespace aaren::bench

#endif  // AAREN_TESTS_BENCH_ATTENTION_MEMORY_COPY_H_
