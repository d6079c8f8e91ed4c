#ifndef AAREN_MODEL_ENGINE_TIER_H_
#define AAREN_MODEL_ENGINE_TIER_H_

// A Tier is an arithmetic with bits of its own. A session keeps its tier for life.
//
//   exact   products of floats (model/README.md, section 11)
//   fast    products of bfloat16 parts (section 14): several times as fast where the CPU has AMX
//
// Both give the same bits on every machine, whatever a batch holds.

namespace aaren::engine {

enum class Tier { kExact, kFast };

constexpr const char* NameOf(Tier tier) { return tier == Tier::kExact ? "exact" : "fast"; }

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_TIER_H_
