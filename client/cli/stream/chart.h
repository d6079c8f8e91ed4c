#ifndef AAREN_CLIENT_CLI_STREAM_CHART_H_
#define AAREN_CLIENT_CLI_STREAM_CHART_H_

// The picture of a running stream on a terminal, as a pure function of the state and the terminal's size: a panel per
// series with its recent past as a line, "now", and beyond it the forecast's median inside its interval. Surprising
// values are marked, and alerts are counted. The last line is a status.
//
//   load  41.2
//      48.1 ⠀⠀⡠⠒⢄⠀⠀⠀⡠●⢄⠀⠀│░░⡠⠒⢄░
//      20.3 ⠤⠊⠀⠀⠀⠑⠤⠊⠀⠀⠀⠑⠤│⠤⠊░░░░
//
// Characters are UTF-8 (braille, two values a cell), colours are ANSI. Threading: plain values.

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "client/cli/stream/alert.h"

namespace aaren::cli {

// The share of values marked as surprising without a chosen rate of alerts.
inline constexpr double kSurprisingRate = 0.04;

struct SeriesChart {
  std::string name;
  std::deque<float> values = {};    // the past, latest last; NaN: missing
  std::deque<float> surprise = {};  // surprise of each value; NaN: none, or not judged since the session is learning
  uint64_t alerts = 0;              // since the beginning; shown beside the value unless 0
  std::vector<float> low = {};      // per step ahead, as are the next two
  std::vector<float> median = {};
  std::vector<float> high = {};
};

struct ChartState {
  std::vector<SeriesChart> series;
  std::string status;
  AlertRule marked = AlertRule(kSurprisingRate);
};

// `height` lines of at most `width` columns, joined by "\n". Series without room are counted in the status.
std::string Render(const ChartState& state, int width, int height);

// A number in at most eight characters: 0.1235, 41.2, 1.53M.
std::string CompactNumber(double value);

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_STREAM_CHART_H_
