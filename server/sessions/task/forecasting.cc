#include "server/sessions/task/forecasting.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace aaren::task {
namespace {

std::string Indexed(absl::string_view field, size_t index) {
  return absl::StrCat("open.output.", field, "[", index, "]");
}

}  // namespace

Schema ForecastingConversion::schema() const {
  return {.targets = {"value"}, .horizon = static_cast<uint32_t>(config_.horizon), .quantiles = config_.quantiles};
}

std::optional<BadField> ForecastingConversion::CheckNumbers(const TokenNumbers& numbers, uint32_t channels) const {
  if (!numbers.marks.empty()) return BadField{"tokens.marks", "the model has no marks"};
  if (!numbers.future_values.empty()) {
    return BadField{"tokens.future_values", "the model has no known-future covariates"};
  }
  if (!numbers.values.empty() && !numbers.doubles.empty()) {
    return BadField{"tokens.doubles", "an item has either values or doubles"};
  }
  const size_t values = numbers.values.size() + numbers.doubles.size();
  if (values % channels == 0) return std::nullopt;
  return BadField{"tokens.values",
                  absl::StrCat(values, " values are not a multiple of the session's ", channels, " channels")};
}

void ForecastingConversion::CopyInputs(const TokenNumbers& numbers, uint32_t, float* out) const {
  // A message has the engine's order already: [n, channels], and a forecaster takes one double a channel.
  for (const float value : numbers.values) {
    engine::PutDouble(value, out);
    out += engine::kFloatsOfDouble;
  }
  for (const double value : numbers.doubles) {
    engine::PutDouble(value, out);
    out += engine::kFloatsOfDouble;
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
  const auto out_of_range = [&](size_t i) {
    return BadField{Indexed("horizons", i), absl::StrCat(request.horizons[i], " is not in 1 .. ", config_.horizon)};
  };
  const auto most = static_cast<uint32_t>(config_.horizon);
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
    // Clients know the levels from the schema, bit for bit, so equality of floats finds them.
    const auto level = std::find(config_.quantiles.begin(), config_.quantiles.end(), request.quantiles[i]);
    if (level == config_.quantiles.end()) {
      return BadField{
          Indexed("quantiles", i),
          absl::StrCat(request.quantiles[i], " is not a level of the model: ", absl::StrJoin(config_.quantiles, ", "))};
    }
    const auto column = static_cast<uint32_t>(level - config_.quantiles.begin());
    // Ascending order also refuses a level named twice.
    if (i > 0 && column <= columns.back()) {
      return BadField{Indexed("quantiles", i),
                      absl::StrCat(request.quantiles[i], " follows ", request.quantiles[i - 1], "; quantiles ascend")};
    }
    columns.push_back(column);
  }
  return std::nullopt;
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
  return resolved;
}

size_t ForecastingConversion::PlannedFloats(const OutputPlan& plan) const {
  const size_t horizons = plan.horizons.empty() ? static_cast<size_t>(config_.horizon) : plan.horizons.size();
  return horizons * (plan.quantiles.empty() ? config_.quantiles.size() : plan.quantiles.size());
}

float* ForecastingConversion::CopyPlanned(const float* result, const OutputPlan& plan, float* out) const {
  const auto horizon = static_cast<size_t>(config_.horizon);
  const size_t quantiles = config_.quantiles.size();
  float* const begin = out;
  const size_t rows = plan.horizons.empty() ? horizon : plan.horizons.size();
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
