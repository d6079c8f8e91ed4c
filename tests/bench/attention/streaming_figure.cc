#include "tests/bench/attention/streaming_figure.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tests/bench/attention/gnuplot.h"

namespace aaren::bench {
namespace {

// Both show the same page, the second with two dots for each point of the first.
constexpr char kSvg[] = "svg size 900,700 enhanced background '#ffffff' font 'sans-serif,12'";
constexpr char kPng[] =
    "pngcairo size 1800,1400 enhanced background '#ffffff' font 'sans-serif,12' fontscale 2 linewidth 2 pointscale 2";

// Colours distinct for colour-blind readers, and marks for print in black.
struct Style {
  absl::string_view mixer, title, color;
  int mark;
};
constexpr Style kStyles[] = {{"aaren", "Aaren", "#0072b2", 7},
                             {"transformer (kv cache)", "Transformer, KV cache", "#d55e00", 5},
                             {"linear", "Linear attention", "#009e73", 9},
                             {"recomputed", "Transformer, recomputed", "#7f7f7f", 13}};

const Cell* Find(const Row& row, absl::string_view column) {
  const auto cell = std::find_if(row.begin(), row.end(), [&](const auto& named) { return named.first == column; });
  return cell == row.end() ? nullptr : &cell->second;
}

double Number(const Row& row, absl::string_view column) {
  const Cell& cell = *Find(row, column);
  if (const auto* integer = std::get_if<int64_t>(&cell)) return static_cast<double>(*integer);
  return std::get<double>(cell);
}

bool Is(const Row& row, absl::string_view mixer, int64_t width) {
  return std::get<std::string>(*Find(row, "mixer")) == mixer && std::get<int64_t>(*Find(row, "width")) == width;
}

struct Point {
  double tokens, bytes, seconds;
};

// One mixer at one width.
struct Curve {
  Style style;
  std::vector<Point> points;
  double memory_exponent, time_exponent;

  bool complete() const { return points.back().tokens >= 1000; }  // reaches the right border
};

std::vector<Curve> CurvesOf(const std::vector<Row>& rows, int64_t width) {
  std::vector<Curve> curves;
  for (const Style& style : kStyles) {
    Curve curve{style, {}, 0, 0};
    for (const Row& row : rows) {
      if (!Is(row, style.mixer, width)) continue;
      if (Find(row, "tokens") != nullptr) {
        curve.points.push_back({Number(row, "tokens"), Number(row, "state_bytes"), Number(row, "cumulative_seconds")});
      } else {
        curve.memory_exponent = Number(row, "memory_exponent");
        curve.time_exponent = Number(row, "time_exponent");
      }
    }
    if (!curve.points.empty()) curves.push_back(std::move(curve));
  }
  return curves;
}

std::string Power(double exponent) {
  // Exponents that round to zero are written without a sign.
  return absl::StrFormat("{/:Italic N}^{ %.2f}", std::abs(exponent) < 0.005 ? 0 : exponent);
}

// A label at a height of the panel, 0 .. 1.
struct Label {
  double height;
  std::string text;
  absl::string_view color;
};

// "set label": beside the right border, from the lowest to the highest, and apart enough to be read.
std::string LabelsAtBorder(std::vector<Label> labels) {
  constexpr double kApart = 0.08;
  std::sort(labels.begin(), labels.end(), [](const Label& a, const Label& b) { return a.height < b.height; });
  std::string script;
  double least = 0;
  for (const Label& label : labels) {
    const double height = std::max(label.height, least);
    absl::StrAppendFormat(&script, "set label %s at graph 1.02, graph %.4f textcolor rgb '%s'\n", Quoted(label.text),
                          height, label.color);
    least = height + kApart;
  }
  return script;
}

// One line above all panels. gnuplot's own key does not grow beyond its panel.
std::string Legend(const std::vector<Curve>& curves) {
  constexpr double kMark = 0.045, kLetter = 0.0105;  // widths, of the page's
  double width = 0;
  for (const Curve& curve : curves) width += kMark + kLetter * static_cast<double>(curve.style.title.size());
  std::string script;
  double x = std::max(0.5 - width / 2, 0.0) + kMark / 2;
  for (const Curve& curve : curves) {
    absl::StrAppendFormat(
        &script, "set label %s at screen %.3f,0.97 point pointtype %d pointsize 1 linecolor rgb '%s' offset 1,0\n",
        Quoted(curve.style.title), x, curve.style.mark, curve.style.color);
    x += kMark + kLetter * static_cast<double>(curve.style.title.size());
  }
  return script;
}

// The plot command, followed by its columns of inline data.
std::string Plot(const std::vector<Curve>& curves, int column) {
  std::string plot, data;
  for (const Curve& curve : curves) {
    absl::StrAppendFormat(
        &plot, "%s '-' using 1:%d with linespoints linecolor rgb '%s' linewidth 1.6 pointtype %d pointsize 0.6 notitle",
        plot.empty() ? "plot" : ",", column, curve.style.color, curve.style.mark);
    for (const Point& point : curve.points) {
      absl::StrAppendFormat(&data, "%g %g %g\n", point.tokens, point.bytes, point.seconds);
    }
    absl::StrAppend(&data, "e\n");
  }
  return absl::StrCat(plot, "\n", data, "unset label\n");
}

// Both axes logarithmic: shows constants, and their distance.
std::string MemoryPanel(const std::vector<Curve>& curves) {
  constexpr double kLeast = 5e2, kMost = 2e8;
  std::string script = absl::StrFormat(
      "set logscale xy\nset xrange [1:1e4]\nset xtics auto\nset format x '10^{%%T}'\nset ylabel 'memory of the state'\n"
      "set yrange [%g:%g]\nset ytics auto\nset format y '%%.0s %%cB'\n",
      kLeast, kMost);
  std::vector<Label> labels;
  for (const Curve& curve : curves) {
    const Point& end = curve.points.back();
    if (curve.complete()) {
      labels.push_back(
          {std::log(end.bytes / kLeast) / std::log(kMost / kLeast), Power(curve.memory_exponent), curve.style.color});
    } else {
      absl::StrAppendFormat(&script, "set label %s at %g,%g offset character 0.7,-0.7 textcolor rgb '%s'\n",
                            Quoted(absl::StrFormat("%g tokens", end.tokens)), end.tokens, end.bytes, curve.style.color);
    }
  }
  return absl::StrCat(script, LabelsAtBorder(std::move(labels)), Plot(curves, 2));
}

// Both axes linear: shows curves that bend, and how much.
std::string TimePanel(const std::vector<Curve>& curves) {
  double most = 0;
  for (const Curve& curve : curves) {
    if (curve.complete()) most = std::max(most, curve.points.back().seconds * 1.1);
  }
  std::string script = absl::StrFormat(
      "unset logscale\nset xrange [0:1e4]\nset xtics 2000\nset format x '%%.0f'\nset ylabel 'cumulative time (s)'\n"
      "set yrange [0:%g]\nset format y '%%g'\n",
      most);
  std::vector<Label> labels;
  for (const Curve& curve : curves) {
    const Point& end = curve.points.back();
    if (curve.complete()) {
      labels.push_back({end.seconds / most, Power(curve.time_exponent), curve.style.color});
    } else {
      absl::StrAppendFormat(
          &script, "set label %s at graph 0.035, graph 0.93 textcolor rgb '%s'\n",
          Quoted(absl::StrFormat("%.2g s for %g tokens, %s", end.seconds, end.tokens, Power(curve.time_exponent))),
          curve.style.color);
    }
  }
  return absl::StrCat(script, LabelsAtBorder(std::move(labels)), Plot(curves, 3));
}

std::string Title(const std::vector<Row>& rows, int64_t width, char letter) {
  const std::vector<Row> fits = RowsWith(rows, "blocks");
  const auto fit =
      std::find_if(fits.begin(), fits.end(), [&](const Row& row) { return Number(row, "width") == width; });
  const double heads = Number(*fit, "heads"), blocks = Number(*fit, "blocks");
  return absl::StrFormat("set title '{/:Bold (%c)}  {/:Italic d} = %d, %g heads, %g block%s' offset 0,-0.4\n", letter,
                         width, heads, blocks, blocks > 1 ? "s" : "");
}

std::vector<int64_t> Widths(const std::vector<Row>& rows) {
  std::vector<int64_t> widths;
  for (const Row& row : rows) {
    const int64_t width = std::get<int64_t>(*Find(row, "width"));
    if (std::find(widths.begin(), widths.end(), width) == widths.end()) widths.push_back(width);
  }
  return widths;
}

}  // namespace

std::vector<Row> RowsWith(const std::vector<Row>& rows, absl::string_view column) {
  std::vector<Row> found;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(found),
               [&](const Row& row) { return Find(row, column) != nullptr; });
  return found;
}

std::string StreamingFigure(const std::vector<Row>& rows, absl::string_view terminal, absl::string_view path) {
  const std::vector<int64_t> widths = Widths(rows);
  std::string script = absl::StrCat(
      "set terminal ", terminal, "\nset output ", Quoted(path),
      "\nset encoding utf8\nset border 3 linewidth 1\nset tics nomirror out scale 0.6,0.3\n"
      "set grid xtics ytics linetype 1 linecolor rgb '#dddddd' linewidth 0.6\nset xlabel 'tokens {/:Italic N}'\n"
      "unset key\n"
      "set multiplot layout ",
      widths.size(), ",2 margins 0.12,0.93,0.095,0.885 spacing 0.185,0.165\n");
  char letter = 'a';
  for (const int64_t width : widths) {
    const std::vector<Curve> curves = CurvesOf(rows, width);
    if (width == widths.front()) absl::StrAppend(&script, Legend(curves));
    absl::StrAppend(&script, Title(rows, width, letter++), MemoryPanel(curves));
    absl::StrAppend(&script, Title(rows, width, letter++), TimePanel(curves));
  }
  return absl::StrCat(script, "unset multiplot\nunset output\n");
}

absl::Status SaveStreaming(const std::vector<Row>& rows, const std::string& folder) {
  const std::string csv = absl::StrCat(folder, "/streaming.csv");
  std::ofstream out(csv);
  out << ToCsv(RowsWith(rows, "tokens")) << std::flush;
  if (!out) return absl::UnavailableError(absl::StrCat("cannot write ", csv));
  const std::string figure = absl::StrCat(folder, "/streaming");
  if (absl::Status status = RunGnuplot(StreamingFigure(rows, kSvg, absl::StrCat(figure, ".svg"))); !status.ok()) {
    return status;
  }
  return RunGnuplot(StreamingFigure(rows, kPng, absl::StrCat(figure, ".png")));
}

}  // namespace aaren::bench
