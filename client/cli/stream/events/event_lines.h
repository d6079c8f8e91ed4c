#ifndef AAREN_CLIENT_CLI_STREAM_EVENTS_EVENT_LINES_H_
#define AAREN_CLIENT_CLI_STREAM_EVENTS_EVENT_LINES_H_

// Writes an event and the forecast of the next as a line of JSON or of words, always the same bytes for the same
// forecast:
//
//   {"seq":7,"time":"2024-01-01 07:00","series":"web","mark":"login","surprise":0.41,"next_seconds":{"0.1":0.5,…},
//    "within":{"1m":0.9},"marks":[{"mark":"login","probability":0.61},{"mark":null,"probability":0.05}]}
//   2024-01-01 07:00  login  surprise 0.41  next in 3.1 s (0.5 s .. 12 s)  within 1m 90 %  then login 61 %, new 5 %
//
// next_seconds are quantiles of the time to the next event. In "marks" null stands for any new mark, and a mark that
// was never seen here is # and its number. With a rule of alerts "surprise" is followed by "alert":true or
// "alert":false; words begin an alert with "! ". While a session is learning, "learning":true follows.
// Threading: a plain value; the names belong to the source's thread, too.

#include <optional>
#include <string>
#include <vector>

#include "aaren/client/event_marks.h"
#include "aaren/client/forecast.h"
#include "absl/types/span.h"
#include "client/cli/stream/alert.h"
#include "client/cli/stream/row_lines.h"

namespace aaren::cli {

struct EventLineOptions {
  std::string series = {};              // the name in each line
  std::vector<std::string> spans = {};  // the user's text of the spans of "within"
  bool words = false;                   // for people, instead of JSON
};

class EventLines : public RowLines {
 public:
  // `names` outlives the EventLines.
  EventLines(EventLineOptions options, absl::Span<const float> levels, std::optional<AlertRule> alert,
             const client::MarkNames& names);

  void Append(const Row& row, const client::Forecast& forecast, std::string& out) const override;

 private:
  void AppendObject(const Row& row, const client::Forecast& forecast, bool alert, std::string& out) const;
  void AppendWords(const Row& row, const client::Forecast& forecast, bool alert, std::string& out) const;

  const EventLineOptions options_;
  const std::vector<float> levels_;
  const std::optional<AlertRule> alert_;
  const client::MarkNames& names_;
};

// A time span in a few characters, with the unit that suits it: 3.1 s, 12 min, 2.5 d. "-" for NaN.
std::string ShortSpan(double seconds);

// The index of the level nearest to `wanted`. REQUIRES: levels.
size_t NearestLevel(absl::Span<const float> levels, float wanted);

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_STREAM_EVENTS_EVENT_LINES_H_
