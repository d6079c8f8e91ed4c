#include "client/cli/stream/events/event_lines.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/terminal/json.h"
#include "client/cli/terminal/shown.h"

namespace aaren::cli {
namespace {

float SurpriseOf(const client::Forecast& forecast) {
  return forecast.surprise.empty() ? std::numeric_limits<float>::quiet_NaN() : forecast.surprise[0];
}

void AppendNumbers(const char* key, const std::vector<std::string>& names, absl::Span<const float> numbers,
                   JsonObject& object, std::string& out) {
  object.Key(key);
  JsonObject members(out);
  for (size_t i = 0; i < std::min(names.size(), numbers.size()); ++i) members.Add(names[i], numbers[i]);
  members.Close();
}

}  // namespace

EventLines::EventLines(EventLineOptions options, absl::Span<const float> levels, std::optional<AlertRule> alert,
                       const client::MarkNames& names)
    : options_(std::move(options)), levels_(levels.begin(), levels.end()), alert_(alert), names_(names) {}

void EventLines::Append(const Row& row, const client::Forecast& forecast, std::string& out) const {
  const bool alert = alert_ && alert_->Judges(forecast.IsLearning(0)) && alert_->IsAlert(SurpriseOf(forecast));
  options_.words ? AppendWords(row, forecast, alert, out) : AppendObject(row, forecast, alert, out);
  out += '\n';
}

void EventLines::AppendObject(const Row& row, const client::Forecast& forecast, bool alert, std::string& out) const {
  JsonObject object(out);
  object.Add("seq", forecast.seq).Add("time", row.time).Add("series", options_.series).Add("mark", row.mark);
  object.Add("surprise", SurpriseOf(forecast));
  if (forecast.IsLearning(0)) object.Add("learning", true);
  if (alert_) object.Add("alert", alert);
  std::vector<std::string> levels;
  for (const float level : levels_) AppendJson(level, levels.emplace_back());
  AppendNumbers("next_seconds", levels, forecast.values, object, out);
  if (!options_.spans.empty()) AppendNumbers("within", options_.spans, forecast.event.within, object, out);
  object.Key("marks");
  out += '[';
  for (size_t i = 0; i < forecast.event.marks.size(); ++i) {
    const uint32_t mark = forecast.event.marks[i];
    const float probability = forecast.event.mark_probabilities[i];
    // Places beyond the known marks have no probability.
    if (!(probability > 0)) continue;
    if (out.back() != '[') out += ',';
    JsonObject(out)
        .Add("mark", mark == client::kNewMark ? std::nullopt : std::optional(names_.NameOf(mark)))
        .Add("probability", probability)
        .Close();
  }
  out += ']';
  object.Close();
}

void EventLines::AppendWords(const Row& row, const client::Forecast& forecast, bool alert, std::string& out) const {
  const absl::Span<const float> times = forecast.values;
  absl::StrAppend(&out, alert ? "! " : "", Shown(row.time), "  ", Shown(row.mark));
  if (!std::isnan(SurpriseOf(forecast))) absl::StrAppendFormat(&out, "  surprise %.3f", SurpriseOf(forecast));
  if (times.empty() || std::isnan(times[0])) {
    out += "  next unknown yet";
    return;
  }
  absl::StrAppend(&out, "  next in ", ShortSpan(times[NearestLevel(levels_, 0.5f)]), " (", ShortSpan(times.front()),
                  " .. ", ShortSpan(times.back()), ")");
  for (size_t i = 0; i < std::min(options_.spans.size(), forecast.event.within.size()); ++i) {
    absl::StrAppendFormat(&out, "%s %s %.0f %%", i == 0 ? "  within" : ",", options_.spans[i],
                          100 * forecast.event.within[i]);
  }
  for (size_t i = 0; i < forecast.event.marks.size(); ++i) {
    const float probability = forecast.event.mark_probabilities[i];
    if (!(probability > 0)) continue;
    absl::StrAppendFormat(&out, "%s %s %.0f %%", i == 0 ? "  then" : ",", Shown(names_.NameOf(forecast.event.marks[i])),
                          100 * probability);
  }
}

std::string ShortSpan(double seconds) {
  if (std::isnan(seconds)) return "-";
  static constexpr std::pair<double, const char*> kUnits[] = {{86400, "d"}, {3600, "h"},  {60, "min"},
                                                              {1, "s"},     {1e-3, "ms"}, {1e-6, "us"}};
  for (const auto& [size, unit] : kUnits) {
    if (seconds >= size) return absl::StrFormat("%.3g %s", seconds / size, unit);
  }
  return absl::StrFormat("%.0f ns", seconds * 1e9);
}

size_t NearestLevel(absl::Span<const float> levels, float wanted) {
  const auto nearer = [&](float a, float b) { return std::abs(a - wanted) < std::abs(b - wanted); };
  return static_cast<size_t>(std::min_element(levels.begin(), levels.end(), nearer) - levels.begin());
}

}  // namespace aaren::cli
