#ifndef AAREN_MODEL_ENGINE_TIER_H_
#define AAREN_MODEL_ENGINE_TIER_H_

// A Tier is an arithmetic with bits of its own. A session keeps one tier for life.
//
//   exact   products of floats (model/README.md, section 11)
//   fast    products of bfloat16 parts (section 14): several times as fast where the CPU has AMX
//
// Each tier gives the same bits on every machine and in any batch.

namespace aaren::engine {

enum class Tier { kExact, kFast };

constexpr const char* NameOf(Tier tier) { return tier == Tier::kExact ? "exact" : "fast"; }

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_TIER_H_
