#include "server/sessions/task/classification.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace aaren::task {
namespace {

// Options that only models of other kinds have.
std::optional<BadField> OptionOfOthers(const OutputRequest& request) {
  const auto bad = [](absl::string_view field, absl::string_view problem) {
    return BadField{absl::StrCat("open.output.", field), std::string(problem)};
  };
  if (!request.horizons.empty()) return bad("horizons", "a classifier has no steps ahead");
  if (!request.quantiles.empty()) return bad("quantiles", "a classifier has probabilities of classes, no quantiles");
  if (request.relative) return bad("relative", "probabilities have no offsets");
  if (request.surprise) return bad("surprise", "a classifier expects no values");
  if (request.events) return bad("events", "the model forecasts no events");
  if (request.scale != engine::EventScale{}) return BadField{"open.event_scale", "the model forecasts no events"};
  if (request.refinement == engine::Refinement::kRestricted) return std::nullopt;
  return bad("unmixed, uncalibrated, unrestricted", "probabilities of classes are not refined");
}

}  // namespace

ClassificationConversion::ClassificationConversion(const package::ClassifierConfig& config)
    : Conversion(/*inputs=*/engine::kFloatsOfDouble * config.channels()),
      channels_(static_cast<uint32_t>(config.channels())),
      classes_(config.classes),
      means_(config.means) {}

Resolved ClassificationConversion::Resolve(const OutputRequest& request) const {
  Resolved resolved;
  // A field left out of a message reads as 0.
  resolved.plan.every = std::max(1u, request.every);
  resolved.bad = OptionOfOthers(request);
  return resolved;
}

std::optional<BadField> ClassificationConversion::CheckSession(uint32_t channels, bool /*regular_times*/) const {
  if (channels == 0 || channels == channels_) return std::nullopt;
  return BadField{"open.channels",
                  absl::StrCat(channels, " channels; the model classifies series of ", channels_, " channels")};
}

std::optional<BadField> ClassificationConversion::CheckNumbers(const TokenNumbers& numbers, uint32_t,
                                                               const OutputPlan&) const {
  if (!numbers.marks.empty()) return BadField{"tokens.marks", "the model has no marks"};
  if (!numbers.covariates.empty()) return BadField{"tokens.covariates", "the model takes no covariates"};
  if (!numbers.future_values.empty()) return BadField{"tokens.future_values", "the model takes no covariates"};
  if (!numbers.values.empty() && !numbers.doubles.empty()) {
    return BadField{"tokens.doubles", "an item has either values or doubles"};
  }
  const size_t values = numbers.values.size() + numbers.doubles.size();
  if (values % channels_ == 0) return std::nullopt;
  return BadField{"tokens.values",
                  absl::StrCat(values, " values are not a multiple of the model's ", channels_, " channels")};
}

void ClassificationConversion::CopyInputs(const TokenNumbers& numbers, uint32_t, const OutputPlan&, float* out) const {
  for (size_t i = 0; i < numbers.values.size() + numbers.doubles.size(); ++i, out += engine::kFloatsOfDouble) {
    engine::PutDouble(numbers.doubles.empty() ? static_cast<double>(numbers.values[i]) : numbers.doubles[i], out);
  }
}

// A series that stays at the means.
std::vector<float> ClassificationConversion::SampleInputs(size_t tokens) const {
  std::vector<double> values;
  for (size_t i = 0; i < tokens; ++i) values.insert(values.end(), means_.begin(), means_.end());
  return engine::RunValues(values);
}

float* ClassificationConversion::CopyPlanned(const float* result, const OutputPlan&, float* out) const {
  return std::copy_n(result, classes_.size(), out);
}

}  // namespace aaren::task
