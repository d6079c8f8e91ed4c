#include "server/session/output_plan.h"

#include <algorithm>
#include <string>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "server/session/refusal.h"

namespace aaren::session {
namespace {

std::string Indexed(absl::string_view field, size_t index) {
  return absl::StrCat("open.output.", field, "[", index, "]");
}

std::optional<Refusal> ResolveHorizons(const OutputRequest& request, const package::ForecasterConfig& config,
                                       std::vector<uint32_t>& rows) {
  const auto out_of_range = [&](size_t i) {
    return InvalidField(Indexed("horizons", i), absl::StrCat(request.horizons[i], " is not in 1 .. ", config.horizon));
  };
  const auto most = static_cast<uint32_t>(config.horizon);
  // The farthest is named, not the first that is too far: it is what a user asked for.
  if (!request.horizons.empty() && request.horizons.back() > most) return out_of_range(request.horizons.size() - 1);
  for (size_t i = 0; i < request.horizons.size(); ++i) {
    const uint32_t horizon = request.horizons[i];
    if (horizon < 1 || horizon > most) return out_of_range(i);
    if (i > 0 && horizon <= request.horizons[i - 1]) {
      return InvalidField(Indexed("horizons", i),
                          absl::StrCat(horizon, " follows ", request.horizons[i - 1], "; horizons ascend"));
    }
    rows.push_back(horizon - 1);
  }
  return std::nullopt;
}

std::optional<Refusal> ResolveQuantiles(const OutputRequest& request, const package::ForecasterConfig& config,
                                        std::vector<uint32_t>& columns) {
  for (size_t i = 0; i < request.quantiles.size(); ++i) {
    const auto level = std::find(config.quantiles.begin(), config.quantiles.end(), request.quantiles[i]);
    if (level == config.quantiles.end()) {
      return InvalidField(
          Indexed("quantiles", i),
          absl::StrCat(request.quantiles[i], " is not a level of the model: ", absl::StrJoin(config.quantiles, ", ")));
    }
    const auto column = static_cast<uint32_t>(level - config.quantiles.begin());
    if (i > 0 && column <= columns.back()) {
      return InvalidField(Indexed("quantiles", i), absl::StrCat(request.quantiles[i], " follows ",
                                                                request.quantiles[i - 1], "; quantiles ascend"));
    }
    columns.push_back(column);
  }
  return std::nullopt;
}

}  // namespace

Outcome<OutputPlan> ResolveOutput(const OutputRequest& request, const package::ForecasterConfig& config) {
  Outcome<OutputPlan> outcome;
  outcome.value.every = std::max(1u, request.every);
  outcome.value.surprise = request.surprise;
  outcome.value.refinement = request.refinement;
  outcome.refusal = ResolveHorizons(request, config, outcome.value.horizons);
  if (!outcome.refusal) outcome.refusal = ResolveQuantiles(request, config, outcome.value.quantiles);
  return outcome;
}

bool PlanTable::Before::operator()(const OutputPlan& a, const OutputPlan& b) const {
  return std::tie(a.horizons, a.quantiles, a.every, a.surprise, a.refinement) <
         std::tie(b.horizons, b.quantiles, b.every, b.surprise, b.refinement);
}

const OutputPlan* PlanTable::Acquire(const OutputPlan& plan) {
  const auto entry = users_.try_emplace(plan, 0).first;
  ++entry->second;
  return &entry->first;
}

void PlanTable::Release(const OutputPlan* plan) {
  const auto entry = users_.find(*plan);
  if (--entry->second == 0) users_.erase(entry);
}

}  // namespace aaren::session
