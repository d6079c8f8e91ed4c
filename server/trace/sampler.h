#ifndef AAREN_SERVER_TRACE_SAMPLER_H_
#define AAREN_SERVER_TRACE_SAMPLER_H_

// A Sampler says which messages are traced: each with the same probability, whatever became of others. It draws how
// many are left out until the next one, so that most messages cost a subtraction. It draws ids as well. Threading:
// belongs to one shard.

#include <cstdint>
#include <random>

#include "server/trace/span.h"

namespace aaren::trace {

class Sampler {
 public:
  // `share` is from 0, nothing, to 1, everything. A seed makes it repeat itself; 0: the machine's randomness.
  Sampler(double share, uint64_t seed);

  // Whether the next message is one of them.
  bool Next() {
    if (--left_ != 0) return false;
    left_ = Gap();
    return true;
  }

  TraceId NewTrace();
  SpanId NewSpan();

 private:
  uint64_t Gap();

  const double share_;
  std::mt19937_64 random_;
  uint64_t left_;  // messages up to the next that is traced, with it
};

}  // namespace aaren::trace

#endif  // AAREN_SERVER_TRACE_SAMPLER_H_
