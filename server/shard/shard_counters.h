#ifndef AAREN_SERVER_SHARD_SHARD_COUNTERS_H_
#define AAREN_SERVER_SHARD_SHARD_COUNTERS_H_

// The numbers one shard keeps about itself. Only the shard's thread writes them, anybody reads them: relaxed atomics
// that a single writer bumps without a locked instruction, summed over shards when Prometheus asks. They cost nothing
// per token.

#include <array>
#include <atomic>
#include <cstdint>

namespace aaren {

// A number with one writer and any number of readers.
class Counter {
 public:
  void Add(uint64_t n) { value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed); }
  void Set(uint64_t n) { value_.store(n, std::memory_order_relaxed); }
  uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> value_{0};
};

// A histogram with fixed upper bounds; the last bucket has none. Bounds and sum share a unit.
template <size_t N>
class Histogram {
 public:
  explicit Histogram(const std::array<double, N>& bounds) : bounds_(bounds) {}

  void Observe(double value, uint64_t times = 1) {
    size_t bucket = 0;
    while (bucket < N && value > bounds_[bucket]) ++bucket;
    counts_[bucket].Add(times);
    sum_.store(sum_.load(std::memory_order_relaxed) + value * static_cast<double>(times), std::memory_order_relaxed);
  }

  const std::array<double, N>& bounds() const { return bounds_; }
  uint64_t count(size_t bucket) const { return counts_[bucket].value(); }
  double sum() const { return sum_.load(std::memory_order_relaxed); }

 private:
  std::array<double, N> bounds_;
  std::array<Counter, N + 1> counts_;
  std::atomic<double> sum_{0};
};

inline constexpr std::array<double, 16> kLatencyBounds = {50e-6, 100e-6, 200e-6, 500e-6, 1e-3, 2e-3, 5e-3, 10e-3, 20e-3,
                                                          50e-3, 100e-3, 200e-3, 500e-3, 1,    2,    5};     // seconds
inline constexpr std::array<double, 12> kBatchBounds = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 4096};  // tokens

struct ShardCounters {
  // Tokens by outcome: exactly one of these per token of every Tokens item.
  Counter tokens_forecast, tokens_folded, tokens_silent, tokens_duplicate, tokens_refused, tokens_dropped;
  // Sessions by event.
  Counter sessions_created, sessions_resumed, sessions_detached, sessions_deleted, sessions_moved, sessions_expired,
      sessions_evicted, sessions_rewound, sessions_fenced, sessions_refused;
  Counter saves, save_failures;
  // Levels.
  Counter sessions_resident, sessions_attached, slots_used, slots_capacity, state_bytes, queued_tokens, queued_bytes,
      streams;
  Histogram<kBatchBounds.size()> batch_tokens{kBatchBounds};
  Histogram<kLatencyBounds.size()> queue_seconds{kLatencyBounds};  // from arrival to the start of its step
  Histogram<kLatencyBounds.size()> token_seconds{kLatencyBounds};  // from arrival to its reply handed to the stream
};

}  // namespace aaren

#endif  // AAREN_SERVER_SHARD_SHARD_COUNTERS_H_
