#include "client/cli/stream/chart.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/cli/terminal/shown.h"

namespace aaren::cli {
namespace {

constexpr int kAxisWidth = 9;  // eight characters of number, a blank
constexpr int kMinPanelHeight = 4;
constexpr int kMaxPanelHeight = 16;
constexpr int kMinWidth = kAxisWidth + 8;

constexpr absl::string_view kReset = "\x1b[0m";
constexpr absl::string_view kBold = "\x1b[1m";
constexpr absl::string_view kInverse = "\x1b[7m";

enum Style : uint8_t { kPlain, kPast, kForecast, kInterval, kNow, kSurprise };
constexpr absl::string_view kStyles[] = {kReset,       "\x1b[0;32m", "\x1b[0;1;36m",
                                         "\x1b[0;36m", "\x1b[0;90m", "\x1b[0;1;31m"};

// A cell is a braille character of 2 x 4 dots, or another glyph in its place.
struct Cell {
  uint8_t dots = 0;
  Style style = kPlain;
  absl::string_view glyph = {};
};

void AppendBraille(uint8_t dots, std::string& out) {  // U+2800 + dots
  const char bytes[] = {'\xE2', static_cast<char>(0xA0 | dots >> 6), static_cast<char>(0x80 | (dots & 0x3F))};
  out.append(bytes, sizeof bytes);
}

// The values that a plot spans.
struct Range {
  float low = std::numeric_limits<float>::infinity();
  float high = -std::numeric_limits<float>::infinity();

  void Add(float value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }

  // A flat line is drawn in the middle: differences of rounding are not worth a picture.
  void Widen() {
    constexpr float kFlat = 1e-6f, kZero = 1e-12f;
    const float size = std::max(std::abs(low), std::abs(high));
    if (!(low <= high) || (high - low > kFlat * size && size > kZero)) return;
    const float pad = size > kZero ? 0.01f * size : 1.0f;
    low -= pad;
    high += pad;
  }
};

// The plot of a series: rows x columns of cells, addressed by dots from the top left.
class Plot {
 public:
  Plot(int rows, int columns, const Range& range)
      : rows_(rows),
        columns_(columns),
        range_(range),
        cells_(static_cast<size_t>(rows) * static_cast<size_t>(columns)) {}

  int columns() const { return columns_; }
  int rows() const { return rows_; }
  Cell& at(int row, int column) {
    return cells_[static_cast<size_t>(row) * static_cast<size_t>(columns_) + static_cast<size_t>(column)];
  }

  // The dot row of a value, 0 at the top.
  int DotRow(float value) const {
    const double span = std::max(1e-30, static_cast<double>(range_.high) - range_.low);
    const double share = std::clamp((static_cast<double>(range_.high) - value) / span, 0.0, 1.0);
    // A row of cells has four rows of dots.
    return static_cast<int>(std::lround(share * (4 * rows_ - 1)));
  }

  void Dot(int x, int y, Style style) {
    // Unicode numbers the upper six dots of a braille cell column by column, and then the lowest two.
    static constexpr uint8_t kBits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    Cell& cell = at(y / 4, x / 2);
    cell.dots |= kBits[y % 4][x % 2];
    cell.style = style;
  }

  // Joins values by a line; a missing value leaves a gap. `x` is the dot column of the first value.
  template <typename Values>
  void Line(int x, const Values& values, Style style) {
    int before = -1;
    for (const float value : values) {
      const int y = std::isnan(value) ? -1 : DotRow(value);
      // Behind a gap the line begins anew.
      const int from = before < 0 ? y : before;
      for (int dot = std::min(from, y); y >= 0 && dot <= std::max(from, y); ++dot) Dot(x, dot, style);
      before = y;
      ++x;
    }
  }

  std::string Row(int row) {
    std::string text;
    Style style = kPlain;
    for (int column = 0; column < columns_; ++column) {
      const Cell& cell = at(row, column);
      // Only a change of style costs bytes on the way to the terminal.
      if (cell.style != style) absl::StrAppend(&text, kStyles[style = cell.style]);
      if (cell.glyph.empty()) {
        AppendBraille(cell.dots, text);
      } else {
        absl::StrAppend(&text, cell.glyph);
      }
    }
    return absl::StrCat(text, kReset);
  }

 private:
  int rows_;
  int columns_;
  Range range_;
  std::vector<Cell> cells_;
};

// The steps of `values` spread over `dots` dot columns: each its nearest step.
std::vector<float> Spread(const std::vector<float>& values, int dots) {
  std::vector<float> spread(static_cast<size_t>(dots));
  for (size_t dot = 0; dot < spread.size(); ++dot) spread[dot] = values[dot * values.size() / spread.size()];
  return spread;
}

void ShadeInterval(Plot& plot, int first_column, const std::vector<float>& low, const std::vector<float>& high) {
  for (size_t dot = 0; dot < low.size(); ++dot) {
    const int column = first_column + static_cast<int>(dot) / 2;
    if (std::isnan(low[dot]) || std::isnan(high[dot])) continue;
    for (int row = plot.DotRow(high[dot]) / 4; row <= plot.DotRow(low[dot]) / 4; ++row) {
      Cell& cell = plot.at(row, column);
      cell.style = kInterval;
      cell.glyph = "░";
    }
  }
}

void DrawForecast(Plot& plot, int first_column, int dots, const SeriesChart& series) {
  ShadeInterval(plot, first_column, Spread(series.low, dots), Spread(series.high, dots));
  plot.Line(2 * first_column, Spread(series.median, dots), kForecast);
  for (int row = 0; row < plot.rows(); ++row) {
    for (int column = first_column; column < plot.columns(); ++column) {
      Cell& cell = plot.at(row, column);
      // The median shows through the shade of the interval.
      if (cell.dots != 0) cell.glyph = {};
    }
  }
}

void DrawPast(Plot& plot, int past_columns, const SeriesChart& series, const AlertRule& marked, size_t shown) {
  const size_t skipped = series.values.size() - shown;
  const std::vector<float> values(series.values.begin() + static_cast<ptrdiff_t>(skipped), series.values.end());
  // The latest value stands beside "now".
  const int first_dot = 2 * past_columns - static_cast<int>(shown);
  plot.Line(first_dot, values, kPast);
  for (size_t i = 0; i < shown; ++i) {
    const size_t at = skipped + i;
    if (at >= series.surprise.size() || !marked.IsAlert(series.surprise[at]) || std::isnan(values[i])) continue;
    Cell& cell = plot.at(plot.DotRow(values[i]) / 4, (first_dot + static_cast<int>(i)) / 2);
    cell.style = kSurprise;
    cell.glyph = "●";
  }
}

std::string Title(const SeriesChart& series, int width) {
  const float value = series.values.empty() ? std::numeric_limits<float>::quiet_NaN() : series.values.back();
  const std::string shown = std::isnan(value) ? "-" : CompactNumber(value);
  const size_t room = static_cast<size_t>(std::max(0, width - 12));  // beside the value
  std::string alerts = series.alerts > 0 ? absl::StrCat("  alerts: ", series.alerts) : "";
  if (alerts.size() >= room) alerts.clear();
  const std::string name = Cut(Shown(series.name), room - alerts.size());
  return absl::StrCat(kBold, name, kReset, "  ", shown, kStyles[kSurprise], alerts, kReset);
}

std::vector<std::string> Panel(const SeriesChart& series, const AlertRule& marked, int width, int height) {
  std::vector<std::string> lines = {Title(series, width)};
  const int columns = width - kAxisWidth;
  const int steps = static_cast<int>(series.median.size());
  // A column shows two steps. The past keeps two thirds of the width.
  const int forecast_columns = steps == 0 ? 0 : std::min((steps + 1) / 2, columns / 3);
  const int past_columns = columns - forecast_columns - (steps == 0 ? 0 : 1);
  const size_t shown = std::min(series.values.size(), static_cast<size_t>(2 * past_columns));
  Range range;
  for (size_t i = series.values.size() - shown; i < series.values.size(); ++i) range.Add(series.values[i]);
  for (const std::vector<float>* line : {&series.low, &series.median, &series.high}) {
    for (float value : *line) range.Add(value);
  }
  range.Widen();
  Plot plot(height - 1, columns, range);
  DrawPast(plot, past_columns, series, marked, shown);
  if (steps > 0) {
    for (int row = 0; row < height - 1; ++row) plot.at(row, past_columns) = {0, kNow, "│"};
    DrawForecast(plot, past_columns + 1, std::min(2 * forecast_columns, std::max(steps, 2)), series);
  }
  for (int row = 0; row < height - 1; ++row) {
    const bool known = range.low <= range.high;
    const float label = row == 0 ? range.high : range.low;
    const bool labelled = known && (row == 0 || row == height - 2);
    lines.push_back(absl::StrFormat("%8s %s", labelled ? CompactNumber(label) : "", plot.Row(row)));
  }
  return lines;
}

std::string Status(const ChartState& state, size_t hidden, int width) {
  const std::string text =
      Shown(absl::StrCat(" ", state.status, hidden > 0 ? absl::StrCat(" · ", hidden, " more series") : ""));
  const size_t columns = static_cast<size_t>(std::max(0, width));
  return absl::StrCat(kInverse, Padded(Cut(text, columns), columns), kReset);
}

}  // namespace

std::string CompactNumber(double value) {
  const double size = std::abs(value);
  if (size >= 1e13) return absl::StrFormat("%.2g", value);
  if (size >= 1e9) return absl::StrFormat("%.4gG", value / 1e9);
  if (size >= 1e6) return absl::StrFormat("%.4gM", value / 1e6);
  if (size >= 1e4) return absl::StrFormat("%.4gk", value / 1e3);
  if (size > 0 && size < 1e-2) return absl::StrFormat("%.1e", value);
  return absl::StrFormat("%.4g", value);
}

std::string Render(const ChartState& state, int width, int height) {
  std::vector<std::string> lines;
  const int series = static_cast<int>(state.series.size());
  const int fitting = width < kMinWidth ? 0 : std::min(series, (height - 1) / kMinPanelHeight);
  if (fitting > 0) {
    const int panel_height = std::min((height - 1) / fitting, kMaxPanelHeight);
    for (int i = 0; i < fitting; ++i) {
      const std::vector<std::string> panel =
          Panel(state.series[static_cast<size_t>(i)], state.marked, width, panel_height);
      lines.insert(lines.end(), panel.begin(), panel.end());
    }
  }
  // The status stands in the last line, below empty lines if need be.
  lines.resize(static_cast<size_t>(std::max(0, height - 1)));
  if (height > 0) lines.push_back(Status(state, static_cast<size_t>(series - fitting), width));
  return absl::StrJoin(lines, "\n");
}

}  // namespace aaren::cli
