#ifndef AAREN_CLIENT_LOAD_DURATION_HISTOGRAM_H_
#define AAREN_CLIENT_LOAD_DURATION_HISTOGRAM_H_

// A DurationHistogram counts durations in buckets less than a percent wide, from a nanosecond to centuries: 128 buckets
// for every power of two. Recording is an index and an addition. Threading: a plain value; a histogram a thread, merged
// at the end.

#include <array>
#include <cstddef>
#include <cstdint>

namespace aaren::client {

class DurationHistogram {
 public:
  // Counts `count` durations of `nanoseconds`; negative durations count as 0.
  void Record(int64_t nanoseconds, uint64_t count);

  void Merge(const DurationHistogram& other);

  uint64_t count() const { return count_; }
  int64_t max() const { return max_; }  // exact

  // The smallest duration, to a bucket's upper edge, not exceeded by at least `fraction` of all; 0 without
  // durations.
  int64_t Quantile(double fraction) const;

 private:
  static constexpr int kBits = 7;  // leading binary digits of a duration that choose the bucket
  static constexpr size_t kBuckets = (64 - kBits) << kBits;

  static size_t Bucket(uint64_t value);
  static uint64_t UpperEdge(size_t bucket);

  std::array<uint64_t, kBuckets> buckets_ = {};
  uint64_t count_ = 0;
  int64_t max_ = 0;
};

}  // namespace aaren::client

#endif  // AAREN_CLIENT_LOAD_DURATION_HISTOGRAM_H_
