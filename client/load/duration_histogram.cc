#include "client/load/duration_histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace aaren::client {

size_t DurationHistogram::Bucket(uint64_t value) {
  // Small durations have a bucket each.
  if (value < (1u << kBits)) return value;
  const int shift = std::bit_width(value) - 1 - kBits;
  return (static_cast<size_t>(shift) << kBits) + (value >> shift);
}

uint64_t DurationHistogram::UpperEdge(size_t bucket) {
  if (bucket < (1u << kBits)) return bucket;
  const size_t shift = (bucket >> kBits) - 1;
  // The leading binary digits of the bucket's durations. The first digit is always 1, and the bucket's number leaves it
  // out.
  const uint64_t lead = (bucket & ((1u << kBits) - 1)) | (1u << kBits);
  return ((lead + 1) << shift) - 1;
}

void DurationHistogram::Record(int64_t nanoseconds, uint64_t count) {
  const int64_t value = std::max<int64_t>(0, nanoseconds);
  buckets_[Bucket(static_cast<uint64_t>(value))] += count;
  count_ += count;
  max_ = std::max(max_, value);
}

void DurationHistogram::Merge(const DurationHistogram& other) {
  for (size_t i = 0; i < kBuckets; ++i) buckets_[i] += other.buckets_[i];
  count_ += other.count_;
  max_ = std::max(max_, other.max_);
}

int64_t DurationHistogram::Quantile(double fraction) const {
  if (count_ == 0) return 0;
  const auto wanted = std::max<uint64_t>(1, static_cast<uint64_t>(std::ceil(fraction * static_cast<double>(count_))));
  uint64_t seen = 0;
  size_t bucket = 0;
  while ((seen += buckets_[bucket]) < wanted) ++bucket;
  // The upper edge may lie beyond all durations.
  return std::min(max_, static_cast<int64_t>(UpperEdge(bucket)));
}

}  // namespace aaren::client
