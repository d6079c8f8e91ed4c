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
#include <optional>
#include <string>

namespace aaren::engine {

enum class Tier { kExact, kFast, kExtended };

constexpr const char* NameOf(Tier tier) {
  return tier == Tier::kExact ? "exact" : tier == Tier::kFast ? "fast" : "extended";
}

// The most covariates of a session, past and future ones together.
inline constexpr uint32_t kMostCovariates = 8;

// A session of the extended tier may ask for more than far steps.
struct Extension {
  uint32_t past = 0, future = 0;  // covariates, kMostCovariates at most together
  bool profile = false;           // the profile of the season, and a second view of the series (section 17)

  uint32_t covariates() const { return past + future; }
  bool operator==(const Extension&) const = default;
};

// The name of the extended tier with the extension. Rows of each differ, so sessions keep the name.
inline std::string NameOf(const Extension& extension) {
  std::string name = NameOf(Tier::kExtended);
  if (extension.covariates() > 0) {
    name += "-" + std::to_string(extension.past) + "-" + std::to_string(extension.future);
  }
  return extension.profile ? name + "-profile" : name;
}

// The extension with this name; null if no extension has the name.
inline std::optional<Extension> ExtensionOf(const std::string& name) {
  for (uint32_t past = 0; past <= kMostCovariates; ++past) {
    for (uint32_t future = 0; past + future <= kMostCovariates; ++future) {
      for (const bool profile : {false, true}) {
        const Extension extension{past, future, profile};
        if (name == NameOf(extension)) return extension;
      }
    }
  }
  return std::nullopt;
}

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_TIER_H_
