#ifndef AAREN_CLIENT_CLI_STREAM_EVENTS_EVENT_CHART_H_
#define AAREN_CLIENT_CLI_STREAM_EVENTS_EVENT_CHART_H_

// The picture of a stream of events for the live view: the latest events with their surprise, the time to the next
// event as a bar on a logarithmic axis, the probabilities of an event within the spans, and the likeliest marks.
// Threading: a plain value.

#include <cstddef>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "aaren/client/event_marks.h"
#include "aaren/client/forecast.h"
#include "absl/types/span.h"
#include "client/cli/sources/row_source.h"
#include "client/cli/stream/alert.h"

namespace aaren::cli {

class EventChart {
 public:
  // `spans` as the user wrote them; `names` outlives the chart. Alerts by `marked` are red.
  EventChart(std::vector<std::string> spans, AlertRule marked, const client::MarkNames& names)
      : spans_(std::move(spans)), marked_(marked), names_(names) {}

  void SetQuantiles(absl::Span<const float> levels) { levels_.assign(levels.begin(), levels.end()); }
  void Add(const Row& row, const client::Forecast& forecast);

  // `height` lines of at most `width` columns, joined by "\n"; the last is the status.
  std::string Render(const std::string& status, int width, int height) const;

 private:
  struct Seen {
    std::string time, mark;
    double gap_s;  // since the event before; NaN for the first
    float surprise;
    bool alert;
  };

  std::vector<std::string> Forecast(int width) const;
  std::string Bar(int width) const;
  std::string Line(const Seen& seen, int width) const;

  const std::vector<std::string> spans_;
  const AlertRule marked_;
  const client::MarkNames& names_;
  std::vector<float> levels_;
  std::deque<Seen> seen_;  // the latest first
  int64_t last_ns_ = 0;
  // The latest forecast.
  std::vector<float> times_, within_;
  std::vector<std::pair<std::string, float>> marks_;
};

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_STREAM_EVENTS_EVENT_CHART_H_
