#include "tests/bench/engine/roofs.h"

#include <algorithm>
#include <cstring>

#include "model/math/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tests/bench/engine/roofs.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace aaren::bench {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, 16>;

constexpr size_t kChains = 12;  // enough to hide a multiply-add's latency
constexpr size_t kStreams = 8;  // enough to hide a load's

const char* Name() { return hwy::TargetName(HWY_TARGET); }

// The result is used, or the compiler would remove the work.
float MultiplyAddAll(float seed) {
  const D d;
  const auto factor = hn::Set(d, seed), addend = hn::Set(d, 1.0f - seed);
  hn::Vec<D> chains[kChains];
  for (size_t i = 0; i < kChains; ++i) chains[i] = hn::Iota(d, static_cast<float>(i));
  const size_t rounds = 20'000 * 16 / hn::Lanes(d);
  for (size_t round = 0; round < rounds; ++round) {
    for (size_t i = 0; i < kChains; ++i) chains[i] = hn::MulAdd(chains[i], factor, addend);
  }
  for (size_t i = 1; i < kChains; ++i) chains[0] = hn::Add(chains[0], chains[i]);
  return hn::GetLane(hn::SumOfLanes(d, chains[0]));
}

// REQUIRES: count is a multiple of 16 * kStreams.
float ReadAll(const float* data, size_t count) {
  const D d;
  const size_t lanes = hn::Lanes(d);
  hn::Vec<D> sums[kStreams];
  for (size_t i = 0; i < kStreams; ++i) sums[i] = hn::Zero(d);
  for (size_t at = 0; at < count; at += kStreams * lanes) {
    for (size_t i = 0; i < kStreams; ++i) sums[i] = hn::Add(sums[i], hn::Load(d, data + at + i * lanes));
  }
  for (size_t i = 1; i < kStreams; ++i) sums[0] = hn::Add(sums[0], sums[i]);
  return hn::GetLane(hn::SumOfLanes(d, sums[0]));
}

}  // namespace HWY_NAMESPACE
}  // namespace aaren::bench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aaren::bench {

HWY_EXPORT(Name);
HWY_EXPORT(MultiplyAddAll);
HWY_EXPORT(ReadAll);

namespace {

volatile float used;
volatile float seed = 0.5f;  // not known to the compiler

constexpr size_t kPiece = 16 * 8;

}  // namespace

std::string InstructionSet() { return HWY_DYNAMIC_DISPATCH(Name)(); }

void MultiplyAdd() { used = HWY_DYNAMIC_DISPATCH(MultiplyAddAll)(seed); }

Weights::Weights(size_t bytes)
    : bytes_((bytes / sizeof(float) + kPiece - 1) / kPiece * kPiece * sizeof(float)),
      data_(hwy::AllocateAligned<float>(bytes_ / sizeof(float))) {
  std::fill_n(data_.get(), bytes_ / sizeof(float), 1.0f);
}

Copies::Copies() : from_(hwy::AllocateAligned<char>(kBytes)), to_(hwy::AllocateAligned<char>(kBytes)) {
  std::memset(from_.get(), 1, kBytes);
  std::memset(to_.get(), 2, kBytes);
}

void Copies::Copy() const {
  std::memcpy(to_.get(), from_.get(), kBytes);
  used = static_cast<float>(to_[kBytes / 2]);
}

void Weights::Read() const { used = HWY_DYNAMIC_DISPATCH(ReadAll)(data_.get(), bytes_ / sizeof(float)); }

}  // namespace aaren::bench
#endif
