#include "model/season/thinning.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace aaren::season {
namespace {

constexpr int kValues = 12;     // values whose distances are compared: fewer are regular by chance
constexpr int kMostEvery = 16;  // tokens
constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

uint16_t InPlaces(uint16_t lag, int every) {
  return lag % every == 0 ? static_cast<uint16_t>(lag / every) : uint16_t{0};
}

}  // namespace

Thinning ThinningOf(const float* newest) {
  int first = 0, before = 0, count = 0, divisor = 0;
  for (int age = 0; age < kThinningTokens && count < kValues; ++age) {
    if (std::isnan(newest[-age])) continue;
    if (count++ == 0) {
      first = age;
    } else {
      divisor = std::gcd(divisor, age - before);
      if (divisor == 1) return {};
    }
    before = age;
  }
  if (count < kValues || divisor > kMostEvery) return {};
  return {.every = divisor, .since = first % divisor};
}

Past Thinned(const Past& past, const Thinning& thinning, ValueMemory::Window& window) {
  const int older = (past.older - thinning.since) / thinning.every;
  float* newest = window.values + ValueMemory::kValues - 1;
  std::fill(window.values, newest - older, kMissing);
  for (int i = 0; i <= older; ++i) newest[-i] = past.newest[-(thinning.since + i * thinning.every)];
  return {newest, older, past.typical, past.far};
}

SeasonChoice Thinned(const SeasonChoice& choice, const Thinning& thinning) {
  return {InPlaces(choice.first, thinning.every), InPlaces(choice.second, thinning.every)};
}

SeasonChoice InTokens(const SeasonChoice& places, const Thinning& thinning) {
  const auto tokens = [&](uint16_t lag) { return static_cast<uint16_t>(lag * thinning.every); };
  return {tokens(places.first), tokens(places.second)};
}

// A step of tokens is never before its step of places, so the last step is written first.
void Spread(const Thinning& thinning, size_t steps, size_t width, float* numbers) {
  for (size_t ahead = steps; ahead > 0; --ahead) {
    const size_t from = static_cast<size_t>(thinning.StepOf(static_cast<int>(ahead))) - 1;
    if (from + 1 != ahead) std::copy_n(numbers + from * width, width, numbers + (ahead - 1) * width);
  }
}

}  // namespace aaren::season
