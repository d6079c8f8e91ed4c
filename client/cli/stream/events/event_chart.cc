#include "client/cli/stream/events/event_chart.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/cli/stream/events/event_lines.h"
#include "client/cli/terminal/shown.h"

namespace aaren::cli {
namespace {

constexpr size_t kKeptEvents = 256;  // more than a terminal has lines
constexpr int kNameColumns = 24;
constexpr int kLeastColumns = 48;  // a narrower terminal shows events only
constexpr absl::string_view kOff = "\x1b[0m", kStrong = "\x1b[1m", kReversed = "\x1b[7m", kRed = "\x1b[0;1;31m",
                            kCyan = "\x1b[0;36m";

std::string Blocks(int count, absl::string_view block) {
  std::string text;
  for (int i = 0; i < count; ++i) absl::StrAppend(&text, block);
  return text;
}

// A name, a bar as long as the share, and the share.
std::string ShareBar(absl::string_view name, float share, int width) {
  const int room = std::max(1, width - kNameColumns - 8);
  const int length = std::isnan(share) ? 0 : static_cast<int>(std::lround(share * static_cast<float>(room)));
  const std::string shown = Padded(Cut(Shown(name), kNameColumns - 2), kNameColumns - 2);
  return absl::StrFormat("  %s %s%s%s %.0f %%", shown, kCyan, Blocks(length, "█"), kOff, 100 * share);
}

}  // namespace

void EventChart::Add(const Row& row, const client::Forecast& forecast) {
  const float surprise = forecast.surprise.empty() ? std::numeric_limits<float>::quiet_NaN() : forecast.surprise[0];
  const double gap = seen_.empty() ? std::nan("") : 1e-9 * static_cast<double>(row.time_ns - last_ns_);
  const bool alert = marked_.Judges(forecast.IsLearning(0)) && marked_.IsAlert(surprise);
  seen_.push_front({.time = row.time, .mark = row.mark, .gap_s = gap, .surprise = surprise, .alert = alert});
  if (seen_.size() > kKeptEvents) seen_.pop_back();
  last_ns_ = row.time_ns;
  times_.assign(forecast.values.begin(), forecast.values.end());
  within_.assign(forecast.event.within.begin(), forecast.event.within.end());
  marks_.clear();
  for (size_t i = 0; i < forecast.event.marks.size(); ++i) {
    const float probability = forecast.event.mark_probabilities[i];
    // Places beyond the known marks have no probability.
    if (probability > 0) marks_.emplace_back(names_.NameOf(forecast.event.marks[i]), probability);
  }
}

// The outermost quantiles bound the shade. The axis is logarithmic, an octave beyond the shade on both sides.
std::string EventChart::Bar(int width) const {
  constexpr double kTie = 1e-9;  // a nanosecond stands for an interval of 0
  const double low = std::log2(std::max<double>(times_.front(), kTie)),
               high = std::log2(std::max<double>(times_.back(), kTie)),
               middle = std::log2(std::max<double>(times_[NearestLevel(levels_, 0.5f)], kTie));
  const std::string left = ShortSpan(std::exp2(low - 1)), right = ShortSpan(std::exp2(high + 1));
  const int room = std::max(3, width - static_cast<int>(left.size() + right.size()) - 6);
  const auto column = [&](double at) {
    return static_cast<int>(std::lround((at - low + 1) / (high - low + 2) * (room - 1)));
  };
  std::string bar;
  for (int i = 0; i < room; ++i) {
    const bool inside = i >= column(low) && i <= column(high);
    absl::StrAppend(&bar, i == column(middle) ? "┃" : inside ? "░" : "─");
  }
  return absl::StrCat("  ", left, " ", kCyan, bar, kOff, " ", right);
}

std::vector<std::string> EventChart::Forecast(int width) const {
  if (times_.empty() || levels_.empty() || std::isnan(times_[0])) {
    return {absl::StrCat(kStrong, "next event", kOff, "  unknown yet")};
  }
  std::vector<std::string> lines = {
      absl::StrCat(kStrong, "next event", kOff, "  in ", ShortSpan(times_[NearestLevel(levels_, 0.5f)]), " (",
                   ShortSpan(times_.front()), " .. ", ShortSpan(times_.back()), ")"),
      Bar(width)};
  for (size_t i = 0; i < std::min(spans_.size(), within_.size()); ++i) {
    lines.push_back(ShareBar(absl::StrCat("within ", spans_[i]), within_[i], width));
  }
  if (!marks_.empty()) lines.push_back(absl::StrCat(kStrong, "likeliest marks", kOff));
  for (const auto& [name, share] : marks_) lines.push_back(ShareBar(name, share, width));
  return lines;
}

std::string EventChart::Line(const Seen& seen, int width) const {
  const std::string surprise = std::isnan(seen.surprise) ? "" : absl::StrFormat("%.3f", seen.surprise);
  const std::string text =
      absl::StrFormat("  %s  +%-9s %-6s %s", Shown(seen.time), ShortSpan(seen.gap_s), surprise, Shown(seen.mark));
  return absl::StrCat(seen.alert ? kRed : "", seen.alert ? "●" : " ",
                      Cut(text, static_cast<size_t>(std::max(1, width - 1))), kOff);
}

std::string EventChart::Render(const std::string& status, int width, int height) const {
  std::vector<std::string> lines;
  if (width >= kLeastColumns) lines = Forecast(width);
  lines.push_back(absl::StrCat(kStrong, "latest events", kOff));
  for (const Seen& seen : seen_) lines.push_back(Line(seen, width));
  lines.resize(static_cast<size_t>(std::max(0, height - 1)));
  const size_t columns = static_cast<size_t>(std::max(0, width));
  if (height > 0) {
    lines.push_back(absl::StrCat(kReversed, Padded(Cut(Shown(absl::StrCat(" ", status)), columns), columns), kOff));
  }
  return absl::StrJoin(lines, "\n");
}

}  // namespace aaren::cli
