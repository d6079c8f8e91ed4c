#include "tests/e2e/soak/judge/series.h"

#include <cmath>
#include <limits>

#include "tests/e2e/soak/chance.h"

namespace aaren::soak {
namespace {

constexpr Kind kAll[kKinds] = {{1, Kind::Times::kNone, 1, false},  {1, Kind::Times::kGiven, 1, false},
                               {3, Kind::Times::kGiven, 1, false}, {1, Kind::Times::kRegular, 3, true},
                               {2, Kind::Times::kNone, 1, false},  {1, Kind::Times::kGiven, 5, false}};

float Uniform(uint64_t hash) { return static_cast<float>(hash % 10'000) * 1e-4f; }

}  // namespace

Kind KindOf(const std::string& id) { return kAll[static_cast<size_t>(id.back() - '0')]; }

// A triangle with noise on a level that jumps now and then; single missing values and outages.
float Series::Value(uint64_t seq, uint32_t channel) const {
  const uint64_t key = Mix(At(seq).number_ * 64 + channel);
  if (Mix(key ^ (seq * 2 + 1)) % 20 == 0 || Mix(key ^ ~(seq / 150)) % 12 == 0) return std::nanf("");
  const float level = 1000.0f * Uniform(Mix(key ^ (seq / 400)));
  const auto phase = static_cast<float>((seq + key) % 24);
  const float noise = 10.0f * Uniform(Mix(key ^ (seq * 2)));
  return level + 5.0f * std::fabs(phase - 12.0f) + noise;
}

// Every seventh time repeats the time before, every hundredth comes an hour late.
int64_t Series::Time(uint64_t seq) const {
  if (kind_.times == Kind::Times::kRegular) return kStartNs + static_cast<int64_t>(seq) * kStepNs;
  const auto steps = static_cast<int64_t>(seq - (seq % 7 == 3 ? 1 : 0) + seq / 100 * 60);
  return kStartNs + steps * kStepNs;
}

int64_t Series::Step(uint64_t seq) const {
  if (kind_.times == Kind::Times::kRegular) return kStepNs;
  for (; seq > 0; --seq) {
    if (Time(seq) > Time(seq - 1)) return Time(seq) - Time(seq - 1);
  }
  return 0;
}

bool Series::Silent(uint64_t seq) const { return Mix(At(seq).number_ ^ Mix(seq / 37)) % 9 == 0; }

bool Series::Computed(uint64_t seq) const {
  if (Silent(seq)) return false;
  return seq % kind_.every == 0 || (kind_.surprise && (seq + 1) % kind_.every == 0);
}

uint64_t Series::SameUntil(uint64_t seq, uint64_t end) const {
  uint64_t same = seq + 1;
  while (same < end && Silent(same) == Silent(seq)) ++same;
  return same;
}

}  // namespace aaren::soak
