#include "server/sessions/task/events.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "model/engine/events/event_token.h"
#include "model/engine/events/quantiles.h"
#include "server/sessions/task/levels.h"

namespace aaren::task {
namespace {

using events::EventForecast;

constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
constexpr double kMostSpan = 1e10;  // seconds: 300 years
constexpr float kLeastOverdue = 0.5f, kMostOverdue = 0.999f;

BadField BadOption(absl::string_view field, std::string problem) {
  return {absl::StrCat("open.output.", field), std::move(problem)};
}

// The first of `numbers` that is not in [least, most], or that does not ascend.
template <typename T>
std::optional<BadField> CheckAscending(absl::string_view field, const std::vector<T>& numbers, T least, T most) {
  for (size_t i = 0; i < numbers.size(); ++i) {
    const std::string name = absl::StrCat(field, "[", i, "]");
    // The negated comparison refuses NaN, too.
    if (!(numbers[i] >= least && numbers[i] <= most)) {
      return BadOption(name, absl::StrCat(numbers[i], " is not in ", least, " .. ", most));
    }
    if (i > 0 && numbers[i] <= numbers[i - 1]) {
      return BadOption(name, absl::StrCat(numbers[i], " follows ", numbers[i - 1], "; the numbers ascend"));
    }
  }
  return std::nullopt;
}

std::optional<BadField> TooMany(absl::string_view field, size_t count, size_t most) {
  if (count <= most) return std::nullopt;
  return BadOption(field, absl::StrCat(count, " are asked for, the limit is ", most));
}

// Options that only a forecaster of values has.
std::optional<BadField> CheckForeign(const OutputRequest& request) {
  if (!request.horizons.empty()) return BadOption("horizons", "a forecaster of events has no steps ahead");
  if (request.relative) return BadOption("relative", "forecasts of events have no offsets");
  if (request.refinement == engine::Refinement::kRestricted) return std::nullopt;
  return BadOption("unmixed, uncalibrated, unrestricted", "forecasts of events are not refined");
}

std::optional<BadField> CheckEventRequest(const EventRequest& request) {
  const double least_span = std::numeric_limits<double>::min();
  if (auto bad = TooMany("events.spans_s", request.spans_s.size(), EventConversion::kMostSpans)) return bad;
  if (auto bad = CheckAscending("events.spans_s", request.spans_s, least_span, kMostSpan)) return bad;
  if (auto bad = TooMany("events.marks", request.marks, EventConversion::kMostMarks)) return bad;
  if (request.overdue == 0 || (request.overdue >= kLeastOverdue && request.overdue <= kMostOverdue)) {
    return std::nullopt;
  }
  return BadOption("events.overdue",
                   absl::StrCat(request.overdue, " is neither 0 nor in ", kLeastOverdue, " .. ", kMostOverdue));
}

std::optional<BadField> CheckScale(const engine::EventScale& scale) {
  if (scale.unit_ns < 0) return BadField{"open.event_scale.unit_ns", absl::StrCat(scale.unit_ns, " is negative")};
  if (scale.resolution_ns >= 0) return std::nullopt;
  return BadField{"open.event_scale.resolution_ns", absl::StrCat(scale.resolution_ns, " is negative")};
}

}  // namespace

EventConversion::EventConversion()
    : Conversion(/*inputs=*/events::kTokenFloats), levels_{0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f, 0.7f, 0.8f, 0.9f} {}

Schema EventConversion::schema() const {
  return {.targets = {"time", "mark"}, .horizon = 1, .quantiles = levels_, .extension = {}};
}

Resolved EventConversion::Resolve(const OutputRequest& request) const {
  Resolved resolved;
  resolved.plan.every = std::max(1u, request.every);
  resolved.plan.surprise = request.surprise;
  EventPlan& plan = resolved.plan.events;
  static_cast<EventRequest&>(plan) = request.events.value_or(EventRequest{});
  plan.levels = request.quantiles.empty() ? levels_ : request.quantiles;
  plan.scale = request.scale;
  resolved.bad = CheckForeign(request);
  if (!resolved.bad) resolved.bad = TooMany("quantiles", request.quantiles.size(), kMostQuantiles);
  if (!resolved.bad) resolved.bad = CheckAscending("quantiles", request.quantiles, kLeastLevel, kMostLevel);
  if (!resolved.bad) resolved.bad = CheckEventRequest(plan);
  if (!resolved.bad) resolved.bad = CheckScale(request.scale);
  return resolved;
}

std::optional<BadField> EventConversion::CheckSession(uint32_t channels, bool regular_times) const {
  if (channels > 1) return BadField{"open.channels", absl::StrCat(channels, " channels; a session of events has one")};
  if (regular_times) return BadField{"open.regular_times", "every event brings its own time"};
  return std::nullopt;
}

std::optional<BadField> EventConversion::CheckNumbers(const TokenNumbers& numbers, uint32_t, const OutputPlan&) const {
  if (!numbers.values.empty()) return BadField{"tokens.values", "an event has a time and a mark, and no value"};
  if (!numbers.doubles.empty()) return BadField{"tokens.doubles", "an event has a time and a mark, and no value"};
  if (!numbers.future_values.empty()) return BadField{"tokens.future_values", "the model takes no covariates"};
  if (!numbers.covariates.empty()) return BadField{"tokens.covariates", "the model takes no covariates"};
  if (numbers.marks.size() != numbers.times_ns.size()) {
    return BadField{
        numbers.marks.size() < numbers.times_ns.size() ? "tokens.marks" : "tokens.times_ns",
        absl::StrCat(numbers.marks.size(), " marks and ", numbers.times_ns.size(), " times; every event has both")};
  }
  const auto bad = std::find(numbers.marks.begin(), numbers.marks.end(), kNewMark);
  if (bad == numbers.marks.end()) return std::nullopt;
  return BadField{absl::StrCat("tokens.marks[", bad - numbers.marks.begin(), "]"),
                  absl::StrCat(kNewMark, " stands for new marks, and is no mark")};
}

void EventConversion::CopyInputs(const TokenNumbers& numbers, uint32_t, const OutputPlan&, float* out) const {
  for (size_t i = 0; i < numbers.marks.size(); ++i, out += events::kTokenFloats) {
    events::PutEvent(numbers.times_ns[i], numbers.marks[i], out);
  }
}

// A clock that ticks every second with three marks in turn.
std::vector<float> EventConversion::SampleInputs(size_t tokens) const {
  std::vector<float> inputs(tokens * events::kTokenFloats);
  for (size_t i = 0; i < tokens; ++i) {
    events::PutEvent(static_cast<int64_t>(i) * 1'000'000'000, i % 3, &inputs[i * events::kTokenFloats]);
  }
  return inputs;
}

size_t EventConversion::PlannedFloats(const OutputPlan& plan) const { return plan.events.levels.size(); }

float* EventConversion::CopyPlanned(const float* result, const OutputPlan& plan, float* out) const {
  const events::Outlook outlook = EventForecast::Of(result).outlook;
  const size_t count = plan.events.levels.size();
  if (!outlook.made()) return std::fill_n(out, count, kNone);
  events::IntervalsAt(outlook, plan.events.levels, out);
  return out + count;
}

void EventConversion::AppendEvents(const float* result, const OutputPlan& plan, EventNumbers& out) const {
  const EventForecast forecast = EventForecast::Of(result);
  const bool made = forecast.outlook.made();
  out.within.resize(out.within.size() + plan.events.spans_s.size(), kNone);
  float* const within = out.within.data() + out.within.size() - plan.events.spans_s.size();
  if (made) events::ProbabilitiesWithin(forecast.outlook, plan.events.spans_s, within);
  const size_t before = out.marks.size();
  out.marks.resize(before + plan.events.marks);
  out.mark_probabilities.resize(before + plan.events.marks);
  events::LikeliestMarks(forecast, absl::MakeSpan(out.marks).subspan(before), out.mark_probabilities.data() + before);
}

std::optional<double> EventConversion::SecondsUntilOverdue(const float* result, const OutputPlan& plan) const {
  const events::Outlook outlook = EventForecast::Of(result).outlook;
  if (plan.events.overdue == 0 || !outlook.made()) return std::nullopt;
  return IntervalAt(outlook, plan.events.overdue);
}

engine::ResultTail EventConversion::TailOf(const float*) const { return {}; }

// Watchers see the mark. The time is in no float's reach.
float EventConversion::InputValue(const float* inputs) const {
  return static_cast<float>(events::EventAt(inputs).mark);
}

// The next value is a mark, and a mark has no quantiles.
Expected EventConversion::NextValue(const float*) const { return {}; }

}  // namespace aaren::task
