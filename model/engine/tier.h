#ifndef AAREN_MODEL_ENGINE_TIER_H_
#define AAREN_MODEL_ENGINE_TIER_H_

// A Tier is an arithmetic with bits of its own. A session keeps one tier for life.
//
//   exact   products of floats (model/README.md, section 11)
//   fast    products of bfloat16 parts (section 14): several times as fast where the CPU has AMX
//   extended  the exact tier's arithmetic on longer rows, which forecast beyond the model's horizon (section 15)
//
// Each tier gives the same bits on every machine and in any batch.

#include <cstdint>
#include <string>

namespace aaren::engine {

enum class Tier { kExact, kFast, kExtended };

constexpr const char* NameOf(Tier tier) {
  return tier == Tier::kExact ? "exact" : tier == Tier::kFast ? "fast" : "extended";
}

// The name of the extended tier for series with covariates: their rows differ, so sessions keep the numbers, too.
inline std::string NameWithCovariates(uint32_t past, uint32_t future) {
  return std::string(NameOf(Tier::kExtended)) + "-" + std::to_string(past) + "-" + std::to_string(future);
}

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_TIER_H_
