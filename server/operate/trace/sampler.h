#ifndef AAREN_SERVER_OPERATE_TRACE_SAMPLER_H_
#define AAREN_SERVER_OPERATE_TRACE_SAMPLER_H_

// A Sampler chooses the messages to trace, each with the same probability, independently. The sampler draws the number
// of messages up to the next choice: most messages cost a subtraction. It draws ids as well. Threading: belongs to one
// shard.

#include <cstdint>
#include <random>

#include "server/operate/trace/span.h"

namespace aaren::trace {

class Sampler {
 public:
  // `share`: from 0, nothing, to 1, everything. A seed gives repeatable choices; 0: the machine's randomness.
  Sampler(double share, uint64_t seed);

  // True if the next message is to be traced.
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
  uint64_t left_;  // messages up to and with the next traced one
};

}  // namespace aaren::trace

#endif  // AAREN_SERVER_OPERATE_TRACE_SAMPLER_H_
