#include "client/cli/evaluate/page/figure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace aaren::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const double kMissing = std::nan("");

int Count(const std::string& text, const std::string& part) {
  int count = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++count;
  return count;
}

// The attribute's value in the first element that begins with `element`.
std::string Attribute(const std::string& svg, const std::string& element, const std::string& name) {
  const size_t begin = svg.find(name + "=\"", svg.find("<" + element)) + name.size() + 2;
  return svg.substr(begin, svg.find('"', begin) - begin);
}

// A figure whose plot is known to the pixel: no title, legend, or labels but those of ticks "0" and "1".
FigureOptions Bare() {
  return {.width = 118.1, .height = 130, .x = {.include = {0, 1}}, .y = {.include = {0, 1}, .names = {}}};
}

TEST(FigureTest, PointsLieWhereTheirValuesSay) {
  Figure figure(Bare());
  figure.Line(Ink::kActual, "", std::vector<double>{0, 0.5, 1}, std::vector<double>{0, 1, 0.5});
  const std::string points = Attribute(figure.Svg(), "polyline", "points");
  double x[3], y[3];
  ASSERT_EQ(std::sscanf(points.c_str(), "%lf,%lf %lf,%lf %lf,%lf", x, y, x + 1, y + 1, x + 2, y + 2), 6) << points;
  EXPECT_NEAR(x[2], 118.1 - 12, 0.06);         // the right margin
  EXPECT_NEAR(x[1], (x[0] + x[2]) / 2, 0.11);  // half way
  EXPECT_NEAR(y[0], 130 - 22, 0.06);           // above the labels of x
  EXPECT_NEAR(y[1], 8, 0.06);                  // the top margin
  EXPECT_NEAR(y[2], (y[0] + y[1]) / 2, 0.11);
}

TEST(FigureTest, BandRunsAlongItsHighEndsAndBackAlongItsLowOnes) {
  Figure figure(Bare());
  figure.Band(Ink::kForecast, "", std::vector<double>{0, 1}, std::vector<double>{0, 0}, std::vector<double>{1, 1});
  const std::string points = Attribute(figure.Svg(), "polygon", "points");
  double x[4], y[4];
  ASSERT_EQ(
      std::sscanf(points.c_str(), "%lf,%lf %lf,%lf %lf,%lf %lf,%lf", x, y, x + 1, y + 1, x + 2, y + 2, x + 3, y + 3),
      8);
  EXPECT_LT(y[0], y[3]);
  EXPECT_EQ(y[0], y[1]);
  EXPECT_EQ(x[1], x[2]);
  EXPECT_EQ(x[0], x[3]);
}

TEST(FigureTest, MissingValueLeavesAGap) {
  Figure figure(Bare());
  figure.Line(Ink::kActual, "", std::vector<double>{0, 0.2, 0.4, 0.6, 0.8}, std::vector<double>{0, 1, kMissing, 1, 0});
  EXPECT_EQ(Count(figure.Svg(), "<polyline"), 2);
  EXPECT_THAT(figure.Svg(), Not(HasSubstr("nan")));
}

TEST(FigureTest, LevelCrossesThePlotAtItsValue) {
  Figure figure(Bare());
  figure.Level(Ink::kNominal, "", 1);
  const std::string svg = figure.Svg();
  EXPECT_THAT(svg.substr(svg.rfind("<line")), HasSubstr("y1=\"8.0\" x2=\"106.1\" y2=\"8.0\" class=\"d nominal\""));
}

TEST(FigureTest, LegendNamesWhatHasANameOnce) {
  Figure figure({.x = {.include = {0, 1}}, .y = {.include = {0, 1}}});
  const std::vector<double> ends = {0, 1};
  figure.Line(Ink::kForecast, "ours", ends, ends);
  figure.Points(Ink::kForecast, "", ends, ends);
  EXPECT_EQ(Count(figure.Svg(), ">ours<"), 1);
  EXPECT_EQ(Count(figure.LegendSvg(), ">ours<"), 1);
  EXPECT_THAT(figure.LegendSvg(), Not(HasSubstr("<polyline")));
}

TEST(FigureTest, AxesCarryTheirTicksAndUnits) {
  Figure figure({.x = {.label = "rows ahead", .include = {0, 24}}, .y = {.label = "load (MW)", .include = {0, 1}}});
  const std::string svg = figure.Svg();
  for (const char* label : {">rows ahead<", ">load (MW)<", ">10<", ">20<", ">0.5<"}) EXPECT_THAT(svg, HasSubstr(label));
}

TEST(FigureTest, FirstOfTwoLinesLiesOnTop) {
  Figure figure(Bare());
  const std::vector<double> ends = {0, 1};
  figure.Line(Ink::kForecast, "", ends, ends);
  figure.Line(Ink::kDrift, "", ends, ends);
  const std::string svg = figure.Svg();
  EXPECT_GT(svg.find("\"l forecast\""), svg.find("\"l drift\""));
}

TEST(FigureTest, NamesCannotBreakTheMarkup) {
  Figure figure({.title = "a<b & \"c\"", .x = {.include = {0, 1}}, .y = {.names = {"</svg>\x01\xff"}}});
  const std::string svg = figure.Svg();
  EXPECT_THAT(svg, HasSubstr("a&lt;b &amp; &quot;c&quot;"));
  EXPECT_THAT(svg, HasSubstr(">&lt;/svg&gt;\\x01\xEF\xBF\xBD<"));
  EXPECT_EQ(Count(svg, "</svg>"), 1);
}

TEST(FigureTest, DrawsWithoutAnyData) {
  Figure figure({.title = "empty"});
  figure.Line(Ink::kForecast, "ours", {}, {});
  figure.Level(Ink::kNominal, "nominal", std::numeric_limits<double>::infinity());
  EXPECT_THAT(figure.Svg(), HasSubstr("empty"));
}

}  // namespace
}  // namespace aaren::cli
