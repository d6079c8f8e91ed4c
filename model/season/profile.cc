#include "model/season/profile.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "model/math/scaling.h"
#include "model/season/lag_bank.h"
#include "model/season/value_memory.h"

namespace aaren::season {
namespace {

template <typename T>
absl::Status Impossible(absl::string_view field, T value) {
  return absl::DataLossError(absl::StrCat("row: the profile's ", field, " is ", value, ", impossible"));
}

}  // namespace

void Profile::Reset(uint16_t of_season) {
  *this = Profile{};
  season = of_season;
}

void Profile::Begin(uint64_t seq) {
  Reset(candidate);
  if (season > 0) behind = static_cast<uint16_t>(std::min<uint64_t>(seq, ValueMemory::kValues));
}

void Profile::Choose(uint16_t first) {
  const uint16_t chosen = first > kPhases ? season : first;
  run = chosen == season ? 0 : chosen == candidate ? std::min<uint16_t>(run + 1, kTrials) : 1;
  candidate = chosen;
  if (season == 0 && chosen != 0) run = kTrials;
}

void Profile::Write(uint64_t seq, size_t count, float* out) const {
  size_t phase = seq % season;
  for (size_t i = 0; i < count; ++i, phase = phase + 1 < season ? phase + 1 : 0) out[i] = offset[phase];
}

void Profile::Learn(uint64_t seq, float value) {
  if (std::isnan(value)) return;
  const size_t phase = seq % season;
  values = std::min(values + 1, kSeasonsOfLevel * season);
  level = static_cast<float>(level + (static_cast<double>(value) - level) / values);
  seasons[phase] = std::min<uint8_t>(seasons[phase] + 1, kMostSeasons);
  const double distance = static_cast<double>(value) - level;
  offset[phase] = math::ToForecast(offset[phase] + (distance - offset[phase]) / seasons[phase]);
}

void Profile::Shift(double distance) { level = math::Shifted(level, distance); }

absl::Status Profile::Check(uint64_t seq) const {
  for (const uint16_t lag : {season, candidate}) {
    if (lag != 0 && (lag < kShortestSeason || lag > kPhases || lag >= seq)) return Impossible("season", lag);
  }
  if (run > kTrials) return Impossible("run", run);
  if (behind > (season == 0 ? 0 : std::min<uint64_t>(seq, ValueMemory::kValues))) return Impossible("behind", behind);
  if (values > kSeasonsOfLevel * season || values > seq - behind) return Impossible("number of values", values);
  // Before its first value the level follows the origin all the same.
  constexpr float most = 2.0f * math::kLargestDistance;
  if (!(std::abs(level) <= most)) return Impossible("level", level);
  for (size_t i = 0; i < kPhases; ++i) {
    const bool known = seasons[i] > 0;
    if (known && (i >= season || seasons[i] > kMostSeasons))
      return Impossible(absl::StrCat("number of seasons ", i), +seasons[i]);
    if (!(std::abs(offset[i]) <= (known ? 2.0f * most : 0.0f)))
      return Impossible(absl::StrCat("offset ", i), offset[i]);
  }
  return absl::OkStatus();
}

}  // namespace aaren::season
