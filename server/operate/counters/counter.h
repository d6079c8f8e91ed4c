#ifndef AAREN_SERVER_OPERATE_COUNTERS_COUNTER_H_
#define AAREN_SERVER_OPERATE_COUNTERS_COUNTER_H_

// Numbers with one writing thread and any readers: relaxed atomics, bumped without a locked instruction. The writer
// pays next to nothing; metrics/ sums the numbers when Prometheus asks.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace aaren::counters {

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
                                                          50e-3, 100e-3, 200e-3, 500e-3, 1,    2,    5};  // seconds

}  // namespace aaren::counters

#endif  // AAREN_SERVER_OPERATE_COUNTERS_COUNTER_H_
