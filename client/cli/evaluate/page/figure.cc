#include "client/cli/evaluate/page/figure.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/terminal/shown.h"

namespace aaren::cli {
namespace {

constexpr double kFont = 11;        // pixels
constexpr double kCharacter = 6.6;  // the width of a character, about
constexpr double kLineHeight = 16;
constexpr double kLegendKey = 24;
constexpr double kXTickGap = 55;  // pixels between ticks, at least
constexpr double kYTickGap = 22;
constexpr size_t kLongestName = 34;

constexpr absl::string_view kInkNames[] = {"forecast", "last", "seasonal", "drift", "actual", "nominal"};

absl::string_view InkName(Ink ink) { return kInkNames[static_cast<size_t>(ink)]; }

double TextWidth(absl::string_view text) {
  // A character counts at its first byte: the other bytes of UTF-8 have no width.
  const auto begins = [](char c) { return (static_cast<uint8_t>(c) & 0xC0) != 0x80; };
  return kCharacter * static_cast<double>(std::count_if(text.begin(), text.end(), begins));
}

// At most kLongestName characters; a longer name ends in "…".
std::string Shortened(const std::string& name) {
  size_t characters = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    if ((static_cast<uint8_t>(name[i]) & 0xC0) != 0x80 && ++characters > kLongestName) {
      return absl::StrCat(name.substr(0, i), "…");
    }
  }
  return name;
}

std::string Text(double x, double y, absl::string_view anchor, absl::string_view text,
                 absl::string_view attributes = "") {
  return absl::StrFormat("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"%s>%s</text>", x, y, anchor, attributes,
                         EscapeXml(text));
}

std::string Segment(double x1, double y1, double x2, double y2, absl::string_view css) {
  return absl::StrFormat("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"%s\"/>", x1, y1, x2, y2, css);
}

// Each ink has a shape of its own, for eyes and printers without colours.
std::string Marker(Ink ink, double x, double y) {
  const std::string css = absl::StrCat("p ", InkName(ink));
  switch (ink) {
    case Ink::kSeasonalNaive:
      return absl::StrFormat("<path d=\"M%.1f %.1fh7v7h-7z\" class=\"%s\"/>", x - 3.5, y - 3.5, css);
    case Ink::kLastValue:
      return absl::StrFormat("<path d=\"M%.1f %.1fl4.5 8h-9z\" class=\"%s\"/>", x, y - 4.8, css);
    case Ink::kDrift:
      return absl::StrFormat("<path d=\"M%.1f %.1fl6 6l-6 6l-6 -6z\" class=\"%s\"/>", x, y - 6, css);
    default:
      return absl::StrFormat("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" class=\"%s\"/>", x, y, css);
  }
}

}  // namespace

// Light and dark differ in these colours only.
const absl::string_view kFigureStyle = R"css(
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #ffffff; --faint: #667079; --rule: #e1e5e9; --axis: #8a949e;
  --forecast: #1664ab; --last: #2c8a57; --seasonal: #c75a00; --drift: #8b4fa8; }
@media (prefers-color-scheme: dark) { :root { --ink: #e3e7eb; --paper: #15181c; --faint: #98a2ac; --rule: #2b3138;
  --axis: #6d7781; --forecast: #6fb1ee; --last: #63c08e; --seasonal: #f0934a; --drift: #c592de; } }
svg { font: 11px system-ui, sans-serif; max-width: 100%; height: auto; }
svg text { fill: var(--faint); }
svg .title { fill: var(--ink); font-weight: 600; }
.forecast { --c: var(--forecast); } .last { --c: var(--last); } .seasonal { --c: var(--seasonal); }
.drift { --c: var(--drift); } .actual { --c: var(--ink); } .nominal { --c: var(--axis); }
svg .grid { stroke: var(--rule); stroke-width: 1; } svg .axis { stroke: var(--axis); stroke-width: 1; }
svg .l { fill: none; stroke: var(--c); stroke-width: 1.6; stroke-linejoin: round; }
svg .l.actual { stroke-width: 1.2; }
svg .p { fill: var(--c); stroke: var(--paper); stroke-width: 0.8; }
svg .b { fill: var(--c); fill-opacity: 0.22; stroke: none; }
svg .d { fill: none; stroke: var(--c); stroke-width: 1.2; stroke-dasharray: 5 4; }
)css";

// Writes a figure, once the figure's extents are known.
class Figure::Drawing {
 public:
  explicit Drawing(const Figure& figure);
  std::string Draw();
  std::string DrawLegendAlone();

 private:
  std::string Begin(double height) const;
  std::vector<const Layer*> Named() const;
  double LegendRows() const;
  double LegendTop() const { return options_.title.empty() ? 8 : 8 + kLineHeight; }
  double LeftMargin() const;
  Axis MakeAxis(const AxisOptions& options, double from, double to, bool vertical) const;

  static double KeyWidth(const Layer& layer) { return kLegendKey + 4 + TextWidth(layer.name) + 12; }

  void DrawAxes(std::string& out) const;
  void DrawLegend(std::string& out) const;
  void DrawKey(const Layer& layer, double x, double y, std::string& out) const;
  void DrawLayer(const Layer& layer, std::string& out) const;
  void DrawLine(const Layer& layer, std::string& out) const;
  void DrawBand(const Layer& layer, std::string& out) const;
  bool Shows(const Layer& layer, size_t i) const {
    return x_.Shows(layer.x[i]) && y_.Shows(layer.y[i]) && (layer.high.empty() || y_.Shows(layer.high[i]));
  }
  // Two ticks at least tell the scale.
  int YTicks() const { return std::max(2, static_cast<int>((bottom_ - top_) / kYTickGap)); }

  const FigureOptions& options_;
  const std::vector<Layer>& layers_;
  double top_, bottom_, left_, right_;
  Axis x_, y_;
};

Figure::Drawing::Drawing(const Figure& figure)
    : options_(figure.options_),
      layers_(figure.layers_),
      // Top and bottom come first: LeftMargin places the ticks between the two.
      top_(LegendTop() + (options_.legend ? kLineHeight * LegendRows() : 0)),
      bottom_(options_.height - 22 - (options_.x.label.empty() ? 0 : kLineHeight)),
      left_(LeftMargin()),
      right_(options_.width - 12),
      x_(MakeAxis(options_.x, left_, right_, false)),
      y_(MakeAxis(options_.y, bottom_, top_, true)) {}

Axis Figure::Drawing::MakeAxis(const AxisOptions& options, double from, double to, bool vertical) const {
  Axis axis(options, from, to);
  for (const Layer& layer : layers_) {
    for (double value : vertical ? layer.y : layer.x) axis.Include(value);
    if (!vertical) continue;
    for (double value : layer.high) axis.Include(value);
  }
  return axis;
}

// The widest label of the y axis and the axis's title, which stands upright.
double Figure::Drawing::LeftMargin() const {
  double widest = 0;
  for (const Tick& tick : MakeAxis(options_.y, bottom_, top_, true).Ticks(YTicks())) {
    widest = std::max(widest, TextWidth(Shortened(tick.label)));
  }
  return 12 + widest + (options_.y.label.empty() ? 0 : kLineHeight);
}

std::vector<const Figure::Layer*> Figure::Drawing::Named() const {
  std::vector<const Layer*> named;
  for (const Layer& layer : layers_) {
    if (!layer.name.empty()) named.push_back(&layer);
  }
  return named;
}

double Figure::Drawing::LegendRows() const {
  // Lines end where DrawLegend ends lines, since the plot begins below the legend.
  double rows = 0, x = options_.width;
  for (const Layer* layer : Named()) {
    const double width = KeyWidth(*layer);
    if (x + width > options_.width - 8) {
      ++rows;
      x = 8;
    }
    x += width;
  }
  return rows;
}

void Figure::Drawing::DrawLegend(std::string& out) const {
  double x = 8, y = LegendTop() + 6;
  for (const Layer* layer : Named()) {
    const double width = KeyWidth(*layer);
    if (x > 8 && x + width > options_.width - 8) {
      x = 8;
      y += kLineHeight;
    }
    DrawKey(*layer, x, y, out);
    out += Text(x + kLegendKey + 4, y + 4, "start", layer->name);
    x += width;
  }
}

void Figure::Drawing::DrawKey(const Layer& layer, double x, double y, std::string& out) const {
  const absl::string_view ink = InkName(layer.ink);
  switch (layer.kind) {
    case Kind::kBand:
      absl::StrAppendFormat(&out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"9\" class=\"b %s\"/>", x,
                            y - 4.5, kLegendKey, ink);
      break;
    case Kind::kPoints:
      out += Marker(layer.ink, x + kLegendKey / 2, y);
      break;
    default:
      out += Segment(x, y, x + kLegendKey, y, absl::StrCat(layer.kind == Kind::kLine ? "l " : "d ", ink));
  }
}

void Figure::Drawing::DrawAxes(std::string& out) const {
  for (const Tick& tick : y_.Ticks(YTicks())) {
    const double y = y_.Pixel(tick.value);
    out += Segment(left_, y, right_, y, "grid");
    // A third of the font's size lowers the text until digits stand in the middle of their line.
    out += Text(left_ - 6, y + 0.35 * kFont, "end", Shortened(tick.label));
  }
  for (const Tick& tick : x_.Ticks(std::max(2, static_cast<int>((right_ - left_) / kXTickGap)))) {
    const double x = x_.Pixel(tick.value);
    out += Segment(x, bottom_, x, bottom_ + 4, "axis");
    out += Text(x, bottom_ + 16, "middle", tick.label);
  }
  out += Segment(left_, bottom_, right_, bottom_, "axis");
  const double middle = (top_ + bottom_) / 2;
  if (!options_.x.label.empty()) out += Text((left_ + right_) / 2, options_.height - 6, "middle", options_.x.label);
  if (options_.y.label.empty()) return;
  out += Text(12, middle, "middle", options_.y.label, absl::StrFormat(" transform=\"rotate(-90 12 %.1f)\"", middle));
}

// A value that cannot be shown ends a polyline, and the next value begins another.
void Figure::Drawing::DrawLine(const Layer& layer, std::string& out) const {
  for (size_t i = 0; i < layer.x.size();) {
    std::string points;
    for (; i < layer.x.size() && Shows(layer, i); ++i) {
      absl::StrAppendFormat(&points, "%s%.1f,%.1f", points.empty() ? "" : " ", x_.Pixel(layer.x[i]),
                            y_.Pixel(layer.y[i]));
    }
    if (points.empty()) {
      ++i;
    } else {
      absl::StrAppend(&out, "<polyline points=\"", points, "\" class=\"l ", InkName(layer.ink), "\"/>");
    }
  }
}

// A polygon over each stretch without a gap: along the high ends and back along the low ends.
void Figure::Drawing::DrawBand(const Layer& layer, std::string& out) const {
  for (size_t i = 0; i < layer.x.size();) {
    std::string there, back;
    for (; i < layer.x.size() && Shows(layer, i); ++i) {
      const double x = x_.Pixel(layer.x[i]);
      absl::StrAppendFormat(&there, "%.1f,%.1f ", x, y_.Pixel(layer.high[i]));
      back = absl::StrFormat("%.1f,%.1f%s%s", x, y_.Pixel(layer.y[i]), back.empty() ? "" : " ", back);
    }
    if (there.empty()) {
      ++i;
    } else {
      absl::StrAppend(&out, "<polygon points=\"", there, back, "\" class=\"b ", InkName(layer.ink), "\"/>");
    }
  }
}

void Figure::Drawing::DrawLayer(const Layer& layer, std::string& out) const {
  const std::string dashed = absl::StrCat("d ", InkName(layer.ink));
  switch (layer.kind) {
    case Kind::kBand:
      return DrawBand(layer, out);
    case Kind::kLevel:
      if (y_.Shows(layer.y[0])) out += Segment(left_, y_.Pixel(layer.y[0]), right_, y_.Pixel(layer.y[0]), dashed);
      return;
    case Kind::kMark:
      if (x_.Shows(layer.x[0])) out += Segment(x_.Pixel(layer.x[0]), top_, x_.Pixel(layer.x[0]), bottom_, dashed);
      return;
    case Kind::kLine:
      return DrawLine(layer, out);
    case Kind::kPoints:
      for (size_t i = 0; i < layer.x.size(); ++i) {
        if (Shows(layer, i)) out += Marker(layer.ink, x_.Pixel(layer.x[i]), y_.Pixel(layer.y[i]));
      }
  }
}

std::string Figure::Drawing::Begin(double height) const {
  return absl::StrFormat(
      // Screen readers read the label in place of the picture.
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" "
      "role=\"img\" aria-label=\"%s\">",
      options_.width, height, options_.width, height,
      EscapeXml(options_.title.empty() ? options_.y.label : options_.title));
}

std::string Figure::Drawing::Draw() {
  std::string out = Begin(options_.height);
  if (!options_.title.empty()) out += Text(8, kLineHeight, "start", options_.title, " class=\"title\"");
  if (options_.legend) DrawLegend(out);
  DrawAxes(out);
  // SVG draws later elements over earlier elements, so points come last.
  for (Kind kind : {Kind::kBand, Kind::kLevel, Kind::kMark, Kind::kLine, Kind::kPoints}) {
    // The first layer of a kind is drawn last, and lies on top.
    for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) {
      if (layer->kind == kind) DrawLayer(*layer, out);
    }
  }
  return out += "</svg>";
}

std::string Figure::Drawing::DrawLegendAlone() {
  std::string out = Begin(LegendTop() + kLineHeight * LegendRows());
  DrawLegend(out);
  return out += "</svg>";
}

void Figure::Line(Ink ink, absl::string_view name, absl::Span<const double> x, absl::Span<const double> y) {
  layers_.push_back({Kind::kLine, ink, std::string(name), {x.begin(), x.end()}, {y.begin(), y.end()}, {}});
}

void Figure::Points(Ink ink, absl::string_view name, absl::Span<const double> x, absl::Span<const double> y) {
  layers_.push_back({Kind::kPoints, ink, std::string(name), {x.begin(), x.end()}, {y.begin(), y.end()}, {}});
}

void Figure::Band(Ink ink, absl::string_view name, absl::Span<const double> x, absl::Span<const double> low,
                  absl::Span<const double> high) {
  layers_.push_back({Kind::kBand,
                     ink,
                     std::string(name),
                     {x.begin(), x.end()},
                     {low.begin(), low.end()},
                     {high.begin(), high.end()}});
}

void Figure::Level(Ink ink, absl::string_view name, double y) {
  layers_.push_back({Kind::kLevel, ink, std::string(name), {}, {y}, {}});
}

void Figure::Mark(Ink ink, absl::string_view name, double x) {
  layers_.push_back({Kind::kMark, ink, std::string(name), {x}, {}, {}});
}

std::string Figure::Svg() const { return Drawing(*this).Draw(); }
std::string Figure::LegendSvg() const { return Drawing(*this).DrawLegendAlone(); }

std::string EscapeXml(absl::string_view text) {
  std::string escaped;
  // Bytes that are no UTF-8 would make the page ill-formed: Shown replaces the bytes.
  for (char c : Shown(text)) {
    switch (c) {
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '&':
        escaped += "&amp;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

}  // namespace aaren::cli
