#include "client/cli/flags/event_flags.h"

#include "aaren/client/time_step.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace aaren::cli {
namespace {

constexpr int64_t kMostMarks = 64;  // the server's limit

// Days and weeks are units, too; 0 for no span.
double Seconds(absl::string_view text) {
  absl::Duration span;
  if (absl::ParseDuration(text, &span)) return absl::ToDoubleSeconds(span);
  const absl::StatusOr<client::TimeStep> step = client::TimeStep::Parse(text);
  return step.ok() ? 1e-9 * static_cast<double>(step->Nanoseconds()) : 0;
}

}  // namespace

void EventScaleFlags::AddTo(command_line::Flags& flags) {
  flags.Add("unit", &unit,
            "of a new session of events: the usual time between two events, roughly, so that the first event has a "
            "forecast;\n"
            "0 for unknown");
  flags.Add("resolution", &resolution,
            "of events: times are whole multiples of this, such as 1s, which surprises allow for; 0 for unknown");
}

client::EventScale EventScaleFlags::Scale() const {
  return {.unit_ns = absl::ToInt64Nanoseconds(unit), .resolution_ns = absl::ToInt64Nanoseconds(resolution)};
}

void EventFlags::AddTo(command_line::Flags& flags) {
  flags.Add(
      "spans", [this](const std::string& list) { return SetSpans(list); },
      "of events: the probability that the next comes within each of these spans, such as 10s,1m,1h", "1m,1h,1d");
  flags.Add("marks", &marks, "of events: how many of the likeliest marks to print").Between(0, kMostMarks);
  flags.Add("overdue", &overdue,
            "of events: say so once the next one is later than this quantile of its time, 0.5 .. 0.999; 0 for never");
  scale.AddTo(flags);
}

absl::Status EventFlags::SetSpans(const std::string& list) {
  spans_.clear();
  spans_s_.clear();
  for (const absl::string_view text : absl::StrSplit(list, ',', absl::SkipWhitespace())) {
    const double seconds = Seconds(text);
    if (!(seconds > (spans_s_.empty() ? 0 : spans_s_.back()))) {
      return absl::InvalidArgumentError("is no list of spans such as 10s,1m,1h, each longer than the span before");
    }
    spans_.emplace_back(text);
    spans_s_.push_back(seconds);
  }
  return absl::OkStatus();
}

absl::Status EventFlags::Check() const {
  if (overdue == 0 || (overdue >= 0.5 && overdue <= 0.999)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("--overdue=", overdue, " is not 0.5 .. 0.999, and not 0 for never"));
}

client::EventOutput EventFlags::Output() const {
  return {.spans_s = spans_s_, .marks = marks, .overdue = static_cast<float>(overdue)};
}

}  // namespace aaren::cli
