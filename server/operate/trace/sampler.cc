#include "server/operate/trace/sampler.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace aaren::trace {
namespace {

// Seeds with as much randomness as ids have: ids of many servers meet in one collector.
std::mt19937_64 MakeRandom(uint64_t seed) {
  if (seed != 0) return std::mt19937_64(seed);
  std::random_device device;
  std::seed_seq seeds{device(), device(), device(), device(), device(), device(), device(), device()};
  return std::mt19937_64(seeds);
}

}  // namespace

Sampler::Sampler(double share, uint64_t seed) : share_(share), random_(MakeRandom(seed)), left_(Gap()) {}

// A geometric number: if each message is taken with probability p, the number up to the first one taken.
uint64_t Sampler::Gap() {
  if (share_ >= 1) return 1;
  if (share_ <= 0) return std::numeric_limits<uint64_t>::max();
  const double draw = std::generate_canonical<double, 53>(random_);  // [0, 1)
  // log1p keeps tiny shares: 1 - share could round to 1.
  const double gap = std::floor(std::log1p(-draw) / std::log1p(-share_));
  // A tiny share draws gaps beyond 64 bits.
  return gap < 1e18 ? 1 + static_cast<uint64_t>(gap) : std::numeric_limits<uint64_t>::max();
}

TraceId Sampler::NewTrace() {
  TraceId id{};
  // W3C Trace Context and OTLP call an id of zeros invalid.
  while (id == TraceId{}) {
    const uint64_t halves[] = {random_(), random_()};
    std::memcpy(id.data(), halves, id.size());
  }
  return id;
}

SpanId Sampler::NewSpan() {
  SpanId id{};
  while (id == SpanId{}) {
    const uint64_t drawn = random_();
    std::memcpy(id.data(), &drawn, id.size());
  }
  return id;
}

}  // namespace aaren::trace
