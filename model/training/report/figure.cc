#include "model/training/report/figure.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "model/training/report/curve.h"
#include "model/training/report/scale.h"

namespace aaren::training {
namespace {

// Colours that the colour-blind can tell apart (Okabe and Ito).
constexpr absl::string_view kColors[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#444444"};
constexpr absl::string_view kFaint = "#9ab8cc", kGrid = "#e4e4e4", kText = "#333333", kGap = "#f6cfa8";
constexpr double kDigit = 5.8, kLetter = 6.8;  // widths at the size of labels, rather too large than too small
constexpr int kTitleHeight = 22, kTickHeight = 16, kLabelHeight = 14, kMargin = 8, kRight = 16;
constexpr double kLargest = 1e300;  // a larger magnitude is not drawn

bool Drawable(double x) { return std::fabs(x) <= kLargest; }  // false for NaN

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -low;

  bool empty() const { return low > high; }
  void Add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

// The plot of one chart: the ranges and places of its axes.
class Plot {
 public:
  Plot(const Chart& chart, const Sheet& sheet) : chart_(chart), sheet_(sheet) {
    for (const Line& line : chart.lines) AddRange(line);
    if (chart.from_zero && !y_range_.empty()) y_range_.Add(0);
  }

  std::string Draw(int left, int top) {
    svg_ = absl::StrFormat("<g transform='translate(%d %d)'>\n", left, top);
    Text(kMargin, 13, "start", chart_.title, "font-weight='bold'");
    if (y_range_.empty()) {
      Text(sheet_.width / 2.0, sheet_.height / 2.0, "middle", "nothing to draw", "");
    } else {
      DrawAxes();
      DrawLines();
      DrawLegend();
    }
    return svg_ + "</g>\n";
  }

 private:
  void AddRange(const Line& line) {
    for (size_t i = 0; i < line.x.size(); ++i) {
      x_range_.Add(line.x[i]);
      if (Drawable(line.y[i])) y_range_.Add(line.y[i]);
    }
  }

  double X(double value) const { return left_ + x_.Position(value) * (sheet_.width - kRight - left_); }
  double Y(double value) const { return bottom_ - y_.Position(value) * (bottom_ - kTitleHeight); }

  void Text(double x, double y, absl::string_view anchor, absl::string_view text, absl::string_view style) {
    absl::StrAppendFormat(&svg_, "<text x='%.1f' y='%.1f' text-anchor='%s' %s>%s</text>\n", x, y, anchor, style,
                          Escaped(text));
  }

  void DrawAxes() {
    x_ = Scale(x_range_.low, x_range_.high, chart_.logarithmic_x);
    // A twentieth of room keeps the highest point off the upper edge.
    y_ = chart_.from_zero ? Scale(y_range_.low, 1.05 * y_range_.high, false)
                          : Scale::WithMargins(y_range_.low, y_range_.high, false);
    bottom_ = sheet_.height - kTickHeight - (chart_.x_label.empty() ? 0 : kLabelHeight);
    const std::vector<double> across = y_.Ticks(std::max(2, static_cast<int>(bottom_ - kTitleHeight) / 32));
    const std::vector<std::string> names = Scale::Labels(across);
    size_t longest = 1;
    for (const std::string& name : names) longest = std::max(longest, name.size());
    left_ = kMargin + kDigit * static_cast<double>(longest) + 4;
    if (chart_.show_gaps) ShadeGaps();
    for (size_t i = 0; i < across.size(); ++i) {
      Rule(left_, Y(across[i]), sheet_.width - kRight, Y(across[i]), kGrid);
      Text(left_ - 4, Y(across[i]) + 3.5, "end", names[i], "");
    }
    DrawXAxis();
  }

  void DrawXAxis() {
    const std::vector<double> along = x_.Ticks(std::max(2, static_cast<int>(sheet_.width - left_) / 80));
    const std::vector<std::string> names = Scale::Labels(along);
    for (size_t i = 0; i < along.size(); ++i) {
      Rule(X(along[i]), bottom_, X(along[i]), bottom_ + 3, kText);
      Text(X(along[i]), bottom_ + 13, "middle", names[i], "");
    }
    Rule(left_, bottom_, sheet_.width - kRight, bottom_, kText);
    if (!chart_.x_label.empty()) {
      Text((left_ + sheet_.width - kRight) / 2, bottom_ + 13 + kLabelHeight, "middle", chart_.x_label, "");
    }
  }

  void Rule(double x1, double y1, double x2, double y2, absl::string_view color) {
    absl::StrAppendFormat(&svg_, "<path d='M%.1f %.1fL%.1f %.1f' stroke='%s'/>\n", x1, y1, x2, y2, color);
  }

  // Shades gaps from half a step before the first missing value to half a step after the last.
  void ShadeGaps() {
    const Line& line = chart_.lines.front();
    const size_t size = line.x.size();
    for (size_t begin = 0; begin < size; ++begin) {
      size_t end = begin;
      while (end < size && !Drawable(line.y[end])) ++end;
      if (end == begin) continue;
      const double from = begin > 0 ? (X(line.x[begin - 1]) + X(line.x[begin])) / 2 : X(line.x[begin]);
      const double to = end < size ? (X(line.x[end - 1]) + X(line.x[end])) / 2 : X(line.x[end - 1]);
      absl::StrAppendFormat(&svg_, "<rect x='%.1f' y='%d' width='%.1f' height='%.1f' fill='%s'/>\n", from, kTitleHeight,
                            std::max(1.0, to - from), bottom_ - kTitleHeight, kGap);
      begin = end;
    }
  }

  absl::string_view ColorOf(size_t line) const {
    return chart_.lines[line].faint ? kFaint : kColors[line % std::size(kColors)];
  }

  void DrawLines() {
    // A later path covers an earlier path, so the background is drawn first.
    for (const bool faint : {true, false}) {
      for (size_t i = 0; i < chart_.lines.size(); ++i) {
        if (chart_.lines[i].faint == faint) DrawLine(chart_.lines[i], ColorOf(i));
      }
    }
  }

  void DrawLine(const Line& line, absl::string_view color) {
    std::vector<Point> points;
    for (size_t i = 0; i < line.x.size(); ++i) {
      const double y = Drawable(line.y[i]) ? Y(line.y[i]) : std::numeric_limits<double>::quiet_NaN();
      points.push_back({.x = X(line.x[i]), .y = y});
    }
    absl::StrAppendFormat(&svg_,
                          "<path d='%s' stroke='%s' stroke-width='%s' fill='none' stroke-linecap='round' "
                          "stroke-linejoin='round'/>\n",
                          PathThrough(points), color,
                          sheet_.width < 400 ? "0.8"
                          : line.faint       ? "1"
                                             : "1.6");
  }

  // Draws the legend at the right of the title. Each name starts beside its stroke, for any width of the font.
  void DrawLegend() {
    double left = sheet_.width - kRight;
    for (size_t i = chart_.lines.size(); i-- > 0;) {
      const std::string& name = chart_.lines[i].name;
      if (name.empty()) continue;
      left -= kLetter * static_cast<double>(name.size()) + 28;
      absl::StrAppendFormat(&svg_, "<path d='M%.1f 9.5h14' stroke='%s' stroke-width='3'/>\n", left, ColorOf(i));
      Text(left + 18, 13, "start", name, "");
    }
  }

  const Chart& chart_;
  const Sheet& sheet_;
  Range x_range_, y_range_;
  Scale x_{0, 1, false}, y_{0, 1, false};
  double left_ = 0, bottom_ = 0;  // the area between the axes
  std::string svg_;
};

}  // namespace

std::string DrawFigure(const std::vector<Chart>& charts, const Sheet& sheet) {
  const int count = static_cast<int>(charts.size()), rows = (count + sheet.columns - 1) / sheet.columns;
  const int width = sheet.columns * sheet.width, height = rows * sheet.height;
  std::string svg = absl::StrFormat(
      "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' viewBox='0 0 %d %d' font-family='sans-serif' "
      "font-size='10.5' fill='%s'>\n<rect width='%d' height='%d' fill='#ffffff'/>\n",
      width, height, width, height, kText, width, height);
  for (int i = 0; i < count; ++i) {
    svg += Plot(charts[i], sheet).Draw(i % sheet.columns * sheet.width, i / sheet.columns * sheet.height);
  }
  return svg + "</svg>\n";
}

std::string Escaped(absl::string_view text) {
  return absl::StrReplaceAll(text, {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"'", "&#39;"}, {"\"", "&quot;"}});
}

}  // namespace aaren::training
