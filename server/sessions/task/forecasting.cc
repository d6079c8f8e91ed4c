#include "server/sessions/task/forecasting.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <string>

#include "absl/strings/str_cat.h"
#include "server/sessions/task/levels.h"

namespace aaren::task {
namespace {

constexpr size_t kMostSelected = 16384;  // numbers of a result: 64 kB, of which a reply must hold one for each channel

std::string Indexed(absl::string_view field, size_t index) {
  return absl::StrCat("open.output.", field, "[", index, "]");
}

}  // namespace

Schema ForecastingConversion::schema() const {
  return {.targets = {"value"}, .horizon = horizon(), .quantiles = config_.quantiles, .extension = rows_.extension};
}

std::optional<BadField> ForecastingConversion::CheckNumbers(const TokenNumbers& numbers, uint32_t channels,
                                                            const OutputPlan& plan) const {
  if (!numbers.marks.empty()) return BadField{"tokens.marks", "the model has no marks"};
  if (!numbers.values.empty() && !numbers.doubles.empty()) {
    return BadField{"tokens.doubles", "an item has either values or doubles"};
  }
  const size_t values = numbers.values.size() + numbers.doubles.size();
  if (values % channels == 0) return CheckCovariates(numbers, values / channels, plan);
  return BadField{"tokens.values",
                  absl::StrCat(values, " values are not a multiple of the session's ", channels, " channels")};
}

std::optional<BadField> ForecastingConversion::CheckCovariates(const TokenNumbers& numbers, uint64_t tokens,
                                                               const OutputPlan& plan) const {
  const engine::Extension& counts = rows_.extension;
  if (counts.covariates() == 0 && !numbers.covariates.empty()) {
    return BadField{"tokens.covariates", "the session was created without covariates"};
  }
  if (counts.future == 0 && !numbers.future_values.empty()) {
    return BadField{"tokens.future_values", "the session was created without future covariates"};
  }
  if (numbers.covariates.size() != tokens * counts.covariates()) {
    return BadField{"tokens.covariates",
                    absl::StrCat(numbers.covariates.size(), " covariates for ", tokens, " tokens, which have ",
                                 counts.past, " past and ", counts.future, " future ones each; missing ones are NaN")};
  }
  if (!numbers.future_values.empty() && numbers.future_values.size() != tokens * plan.ahead) {
    return BadField{"tokens.future_values",
                    absl::StrCat(numbers.future_values.size(), " values for ", tokens, " tokens, ",
                                 plan.ahead / counts.future, " horizons and ", counts.future, " future covariates")};
  }
  return std::nullopt;
}

// A message has values as [n, channels]; the engine takes the covariates of a token for each channel anew.
void ForecastingConversion::CopyInputs(const TokenNumbers& numbers, uint32_t channels, const OutputPlan& plan,
                                       float* out) const {
  const size_t covariates = rows_.extension.covariates();
  for (size_t i = 0; i < numbers.values.size() + numbers.doubles.size(); ++i, out += inputs(plan)) {
    engine::PutDouble(numbers.doubles.empty() ? static_cast<double>(numbers.values[i]) : numbers.doubles[i], out);
    if (covariates == 0) continue;
    const size_t token = i / channels;
    float* end = std::copy_n(&numbers.covariates[token * covariates], covariates, out + engine::kFloatsOfDouble);
    if (numbers.future_values.empty()) {
      std::fill_n(end, plan.ahead, std::numeric_limits<float>::quiet_NaN());
    } else {
      std::copy_n(&numbers.future_values[token * plan.ahead], plan.ahead, end);
    }
  }
}

// A sine.
std::vector<float> ForecastingConversion::SampleInputs(size_t tokens) const {
  std::vector<double> values(tokens);
  for (size_t i = 0; i < tokens; ++i) values[i] = 10 + std::sin(0.5 * static_cast<double>(i));
  return engine::RunValues(values);
}

std::optional<BadField> ForecastingConversion::ResolveHorizons(const OutputRequest& request,
                                                               std::vector<uint32_t>& rows) const {
  const uint32_t most = rows_.extended ? engine::kFarHorizon : horizon();
  const auto out_of_range = [&](size_t i) {
    const bool far = !rows_.extended && request.horizons[i] <= engine::kFarHorizon && request.horizons[i] > 0;
    return BadField{Indexed("horizons", i),
                    absl::StrCat(request.horizons[i], " is not in 1 .. ", most,
                                 far ? "; only a session created with a horizon beyond has more" : "")};
  };
  // Names the farthest horizon, not the first that is too far: users ask for the farthest.
  if (!request.horizons.empty() && request.horizons.back() > most) return out_of_range(request.horizons.size() - 1);
  for (size_t i = 0; i < request.horizons.size(); ++i) {
    const uint32_t horizon = request.horizons[i];
    if (horizon < 1 || horizon > most) return out_of_range(i);
    if (i > 0 && horizon <= request.horizons[i - 1]) {
      return BadField{Indexed("horizons", i),
                      absl::StrCat(horizon, " follows ", request.horizons[i - 1], "; horizons ascend")};
    }
    rows.push_back(horizon - 1);
  }
  return std::nullopt;
}

std::optional<BadField> ForecastingConversion::ResolveQuantiles(const OutputRequest& request,
                                                                std::vector<uint32_t>& columns) const {
  for (size_t i = 0; i < request.quantiles.size(); ++i) {
    const float asked = request.quantiles[i];
    // The negated comparison refuses NaN, too.
    if (!(asked >= kLeastLevel && asked <= kMostLevel)) {
      return BadField{Indexed("quantiles", i), absl::StrCat(asked, " is not in ", kLeastLevel, " .. ", kMostLevel)};
    }
    // Ascending order also refuses a level named twice.
    if (i > 0 && asked <= request.quantiles[i - 1]) {
      return BadField{Indexed("quantiles", i),
                      absl::StrCat(asked, " follows ", request.quantiles[i - 1], "; quantiles ascend")};
    }
    // Clients know the levels from the schema, bit for bit, so equality of floats finds them.
    const auto level = std::find(config_.quantiles.begin(), config_.quantiles.end(), asked);
    if (level != config_.quantiles.end()) columns.push_back(static_cast<uint32_t>(level - config_.quantiles.begin()));
  }
  return std::nullopt;
}

// Lets the engine make what is sent. REQUIRES: horizons and quantiles are resolved.
std::optional<BadField> ForecastingConversion::Select(const OutputRequest& request, OutputPlan& plan) const {
  auto selection = std::make_shared<engine::Selection>();
  selection->steps = request.horizons;
  if (selection->steps.empty()) {
    selection->steps.resize(horizon());
    std::iota(selection->steps.begin(), selection->steps.end(), 1u);
  }
  selection->levels = request.quantiles.empty() ? config_.quantiles : request.quantiles;
  if (selection->floats() > kMostSelected) {
    return BadField{"open.output.quantiles",
                    absl::StrCat(selection->levels.size(), " quantiles of ", selection->steps.size(),
                                 " horizons are more than ", kMostSelected, " numbers")};
  }
  plan.horizons.clear();
  plan.quantiles.clear();
  plan.ahead = selection->steps.size() * rows_.extension.future;
  plan.selection = std::move(selection);
  return std::nullopt;
}

bool ForecastingConversion::NeedsExtended(const OutputRequest& request) const {
  return !request.horizons.empty() && request.horizons.back() > horizon();
}

Resolved ForecastingConversion::Resolve(const OutputRequest& request) const {
  Resolved resolved;
  // A field left out of a message reads as 0.
  resolved.plan.every = std::max(1u, request.every);
  resolved.plan.surprise = request.surprise;
  resolved.plan.refinement = request.refinement;
  resolved.plan.relative = request.relative;
  resolved.bad = ResolveHorizons(request, resolved.plan.horizons);
  if (!resolved.bad) resolved.bad = ResolveQuantiles(request, resolved.plan.quantiles);
  if (!resolved.bad && request.events) resolved.bad = BadField{"open.output.events", "the model forecasts no events"};
  if (!resolved.bad && request.scale != engine::EventScale{}) {
    resolved.bad = BadField{"open.event_scale", "the model forecasts no events"};
  }
  const bool selects = resolved.plan.quantiles.size() < request.quantiles.size();
  if (!resolved.bad && (selects || NeedsExtended(request) || rows_.extension.covariates() > 0))
    resolved.bad = Select(request, resolved.plan);
  return resolved;
}

size_t ForecastingConversion::PlannedFloats(const OutputPlan& plan) const {
  if (plan.selection != nullptr) return plan.selected();
  const size_t horizons = plan.horizons.empty() ? static_cast<size_t>(config_.horizon) : plan.horizons.size();
  return horizons * (plan.quantiles.empty() ? config_.quantiles.size() : plan.quantiles.size());
}

float* ForecastingConversion::CopyPlanned(const float* result, const OutputPlan& plan, float* out) const {
  const auto horizon = static_cast<size_t>(config_.horizon);
  const size_t quantiles = config_.quantiles.size();
  float* const begin = out;
  const size_t rows = plan.selection != nullptr ? 0 : plan.horizons.empty() ? horizon : plan.horizons.size();
  if (plan.selection != nullptr) {
    out = std::copy_n(result + horizon * quantiles + engine::ResultTail::kFloats, plan.selected(), out);
  }
  for (size_t i = 0; i < rows; ++i) {
    const float* row = result + (plan.horizons.empty() ? i : plan.horizons[i]) * quantiles;
    if (plan.quantiles.empty()) {
      out = std::copy_n(row, quantiles, out);
    } else {
      for (uint32_t q : plan.quantiles) *out++ = row[q];
    }
  }
  if (plan.relative) return out;
  const engine::ResultTail tail = TailOf(result);
  std::transform(begin, out, begin, [&tail](float quantile) { return tail.AbsoluteFloat(quantile); });
  return out;
}

engine::ResultTail ForecastingConversion::TailOf(const float* result) const {
  return engine::ResultTail::Of(result, static_cast<size_t>(config_.horizon) * config_.quantiles.size());
}

float ForecastingConversion::InputValue(const float* inputs) const {
  return static_cast<float>(engine::DoubleAt(inputs));
}

Expected ForecastingConversion::NextValue(const float* result) const {
  const size_t quantiles = config_.quantiles.size();
  // Row 0 is the next value, and the quantiles ascend.
  const engine::ResultTail tail = TailOf(result);
  return {.low = tail.AbsoluteFloat(result[0]),
          .middle = tail.AbsoluteFloat(result[quantiles / 2]),
          .high = tail.AbsoluteFloat(result[quantiles - 1])};
}

}  // namespace aaren::task
