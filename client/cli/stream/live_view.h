#ifndef AAREN_CLIENT_CLI_STREAM_LIVE_VIEW_H_
#define AAREN_CLIENT_CLI_STREAM_LIVE_VIEW_H_

// Shows a running stream on a terminal: takes events, and redraws at most ten times a second on a thread of its own, on
// the terminal's second screen. The destructor brings the first screen back, with the last picture and the messages.
// Threading: safe from any thread.

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "aaren/client/forecast.h"
#include "absl/base/thread_annotations.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "client/cli/stream/alert.h"
#include "client/cli/stream/chart.h"
#include "client/cli/stream/events/event_chart.h"
#include "client/cli/stream/pending_rows.h"
#include "client/cli/terminal/interrupt.h"
#include "client/cli/terminal/screen.h"

namespace aaren::cli {

class LiveView {
 public:
  // A stream of events gives its chart. Alerts by `alert` are marked and counted; without a rule the surprising values
  // are marked, but none while the session is learning. A terminal that nobody reads keeps the view waiting only until
  // a signal comes to the interrupt, which outlives the view.
  LiveView(const std::vector<std::string>& series, std::string title, const Interrupt& interrupt,
           std::optional<AlertRule> alert = {}, std::unique_ptr<EventChart> events = nullptr);
  ~LiveView();
  LiveView(const LiveView&) = delete;
  LiveView& operator=(const LiveView&) = delete;

  // The levels of the forecasts to come, ascending. The view shades the interval between the outermost.
  void SetQuantiles(absl::Span<const float> quantiles);

  // REQUIRES: forecast.values is [series, horizons, quantiles], or the forecast is of events.
  void Show(const PendingRow& row, const client::Forecast& forecast);

  // A line for people; the latest stands in the status line.
  void Say(absl::string_view message);

 private:
  void Run();
  std::string Picture(int width, int height) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::string Frame() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void UpdateStatus() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::string title_;
  const std::optional<AlertRule> alert_;
  const absl::Time begin_;
  Screen screen_;  // the view's thread only, while the thread runs
  absl::Mutex mutex_;
  ChartState state_ ABSL_GUARDED_BY(mutex_);
  const std::unique_ptr<EventChart> events_ ABSL_PT_GUARDED_BY(mutex_);  // null for points
  size_t levels_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t median_ ABSL_GUARDED_BY(mutex_) = 0;  // the index of the level
  std::string interval_ ABSL_GUARDED_BY(mutex_);
  uint64_t tokens_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t next_seq_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Duration latency_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::string> messages_ ABSL_GUARDED_BY(mutex_);
  bool changed_ ABSL_GUARDED_BY(mutex_) = true;
  bool quit_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_STREAM_LIVE_VIEW_H_
