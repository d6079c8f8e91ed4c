#include "client/cli/stream/live_view.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "aaren/client/clock.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "client/cli/stream/events/event_lines.h"
#include "client/cli/terminal/report.h"

namespace aaren::cli {
namespace {

constexpr absl::Duration kFrame = absl::Milliseconds(100);
constexpr size_t kKeptValues = 4096;  // values kept per series; a terminal of 2,000 columns shows no more
constexpr double kSmoothing = 0.1;    // weight of a new latency in the shown latency

void PushBounded(float value, std::deque<float>& values) {
  values.push_back(value);
  if (values.size() > kKeptValues) values.pop_front();
}

}  // namespace

LiveView::LiveView(const std::vector<std::string>& series, std::string title, const Interrupt& interrupt,
                   std::optional<AlertRule> alert, std::unique_ptr<EventChart> events)
    : title_(std::move(title)),
      alert_(alert),
      begin_(client::Clock::Real().Now()),
      screen_(STDOUT_FILENO, interrupt),
      events_(std::move(events)) {
  if (alert_) state_.marked = *alert_;
  for (const std::string& name : series) state_.series.push_back({.name = name});
  thread_ = std::thread([this] { Run(); });
}

LiveView::~LiveView() {
  {
    absl::MutexLock lock(&mutex_);
    quit_ = true;
  }
  thread_.join();
  absl::MutexLock lock(&mutex_);
  const winsize size = screen_.size();
  UpdateStatus();
  // Two lines fewer leave room for the shell's prompt.
  screen_.Leave(absl::StrCat(Picture(size.ws_col, size.ws_row - 2), "\n"));
  // The second screen took the messages along, so they are said once more.
  for (const std::string& message : messages_) cli::Say(message);
}

void LiveView::SetQuantiles(absl::Span<const float> quantiles) {
  absl::MutexLock lock(&mutex_);
  if (events_) events_->SetQuantiles(quantiles);
  levels_ = quantiles.size();
  median_ = NearestLevel(quantiles, 0.5f);
  interval_ = absl::StrCat(quantiles.front(), " .. ", quantiles.back());
}

void LiveView::Show(const PendingRow& row, const client::Forecast& forecast) {
  absl::MutexLock lock(&mutex_);
  if (events_) events_->Add(row.row, forecast);
  const size_t channels = events_ ? 0 : state_.series.size();
  const size_t levels = levels_;
  const size_t horizons = events_ ? 0 : forecast.values.size() / (channels * levels);
  for (size_t channel = 0; channel < channels; ++channel) {
    SeriesChart& series = state_.series[channel];
    PushBounded(static_cast<float>(row.row.values[channel]), series.values);
    const bool judged = !forecast.surprise.empty() && state_.marked.Judges(forecast.IsLearning(channel));
    const float surprise = judged ? forecast.surprise[channel] : std::nanf("");
    PushBounded(surprise, series.surprise);
    if (alert_ && alert_->IsAlert(surprise)) ++series.alerts;
    const auto line = [&](size_t level, std::vector<float>& steps) {
      steps.clear();
      for (size_t h = 0; h < horizons; ++h) {
        const float value = forecast.values[(channel * horizons + h) * levels + level];
        steps.push_back(static_cast<float>(forecast.Absolute(channel, value)));
      }
    };
    line(0, series.low);
    line(median_, series.median);
    line(levels - 1, series.high);
  }
  const absl::Duration latency = client::Clock::Real().Now() - row.sent;
  // The first latency begins the mean, which would otherwise creep up from zero.
  latency_ = tokens_++ == 0 ? latency : latency_ + kSmoothing * (latency - latency_);
  next_seq_ = forecast.seq + 1;
  changed_ = true;
}

void LiveView::Say(absl::string_view message) {
  absl::MutexLock lock(&mutex_);
  messages_.emplace_back(message);
  changed_ = true;
}

void LiveView::UpdateStatus() {
  // The first frame may come within the first millisecond.
  const double seconds = std::max(1e-3, absl::ToDoubleSeconds(client::Clock::Real().Now() - begin_));
  state_.status = absl::StrFormat("%s · token %d · %s/s · reply after %.1f ms · ● %s", title_, next_seq_,
                                  CompactNumber(std::round(static_cast<double>(tokens_) / seconds)),
                                  absl::ToDoubleMilliseconds(latency_), alert_ ? "alert" : "surprising");
  if (!interval_.empty()) absl::StrAppend(&state_.status, " · ░ ", interval_);
  if (!quit_) absl::StrAppend(&state_.status, " · Ctrl-C ends");
  if (!messages_.empty()) absl::StrAppend(&state_.status, " · ", messages_.back());
}

std::string LiveView::Picture(int width, int height) const {
  return events_ ? events_->Render(state_.status, width, height) : Render(state_, width, height);
}

// Each line is cleared behind its end, so that nothing of the frame before shines through and nothing flickers.
std::string LiveView::Frame() {
  const winsize size = screen_.size();
  UpdateStatus();
  const std::string frame = Picture(size.ws_col, size.ws_row);
  return absl::StrCat("\x1b[H", absl::StrReplaceAll(frame, {{"\n", "\x1b[K\r\n"}}), "\x1b[J");
}

void LiveView::Run() {
  for (;;) {
    std::string frame;
    {
      absl::MutexLock lock(&mutex_);
      if (quit_) return;
      if (std::exchange(changed_, false)) frame = Frame();
    }
    screen_.Draw(frame);  // with no lock: a slow terminal must not hold up the stream
    absl::MutexLock lock(&mutex_);
    client::Clock::Real().AwaitFor(mutex_, absl::Condition(&quit_), kFrame);
  }
}

}  // namespace aaren::cli
