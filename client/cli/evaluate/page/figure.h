#ifndef AAREN_CLIENT_CLI_EVALUATE_PAGE_FIGURE_H_
#define AAREN_CLIENT_CLI_EVALUATE_PAGE_FIGURE_H_

// A Figure is one plot, drawn as an inline SVG element of an HTML page: axes with ticks and units, a legend, and
// in between lines, bands, points and levels. The subject decides the ink, so that a forecaster has one colour
// and one marker on the whole page. The page's style sheet (kFigureStyle) gives the colours, for light and for
// dark.
//
//   Figure figure({.title = "Coverage", .x = {.label = "rows ahead"}, .y = {.label = "inside", .percent = true}});
//   figure.Level(Ink::kNominal, "nominal", 0.8);
//   figure.Line(Ink::kForecast, "forecast", ahead, inside);
//   page += figure.Svg();
//
// Bands lie beneath lines, lines beneath points; of two layers of a kind the first added lies on top. Coordinates are
// values of the axes; a value that is not finite, or not positive on a logarithmic axis, leaves a gap. Names are
// escaped. Threading: a plain value.

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "client/cli/evaluate/page/axis.h"

namespace aaren::cli {

enum class Ink { kForecast, kLastValue, kSeasonalNaive, kDrift, kActual, kNominal };

// CSS: the colours of inks, text and axes, by prefers-color-scheme.
extern const absl::string_view kFigureStyle;

struct FigureOptions {
  std::string title = {};  // shown above the plot
  double width = 480;      // pixels
  double height = 280;
  AxisOptions x = {};
  AxisOptions y = {};
  bool legend = true;
};

class Figure {
 public:
  explicit Figure(FigureOptions options) : options_(std::move(options)) {}

  // REQUIRES: spans of equal length. An empty name has no place in the legend.
  void Line(Ink ink, absl::string_view name, absl::Span<const double> x, absl::Span<const double> y);
  void Points(Ink ink, absl::string_view name, absl::Span<const double> x, absl::Span<const double> y);
  void Band(Ink ink, absl::string_view name, absl::Span<const double> x, absl::Span<const double> low,
            absl::Span<const double> high);

  // Dashed lines across the plot: Level at one y, Mark at one x.
  void Level(Ink ink, absl::string_view name, double y);
  void Mark(Ink ink, absl::string_view name, double x);

  // A well-formed <svg> element.
  std::string Svg() const;

  // Another <svg> element, the legend alone: for figures that share a legend and have legend = false.
  std::string LegendSvg() const;

 private:
  enum class Kind { kBand, kLevel, kMark, kLine, kPoints };
  struct Layer {
    Kind kind;
    Ink ink;
    std::string name;
    std::vector<double> x, y, high;  // high: only for a band
  };
  class Drawing;

  FigureOptions options_;
  std::vector<Layer> layers_;
};

// Escaped for the text of an element or an attribute, shown as a terminal would: without invisible characters.
std::string EscapeXml(absl::string_view text);

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_EVALUATE_PAGE_FIGURE_H_
