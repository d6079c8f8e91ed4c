#include "model/training/report/figure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "model/training/report/curve.h"
#include "model/training/report/scale.h"

namespace aaren::training {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Chart OneLine(const std::vector<double>& y) {
  Line line = {.name = "", .x = {}, .y = y};
  for (size_t i = 0; i < y.size(); ++i) line.x.push_back(static_cast<double>(i));
  return {.title = "chart", .x_label = "", .lines = {line}};
}

TEST(ScaleTest, TicksAreRoundAndInside) {
  EXPECT_THAT(Scale(0.1, 9.7, false).Ticks(5), ElementsAre(2, 4, 6, 8));
  EXPECT_THAT(Scale(1, 1000, true).Ticks(5), ElementsAre(1, 10, 100, 1000));
}

TEST(ScaleTest, LogarithmicScaleSpacesDecadesEvenly) {
  const Scale scale(1, 10000, true);
  EXPECT_DOUBLE_EQ(scale.Position(100), 0.5);
  EXPECT_DOUBLE_EQ(Scale(0, 10000, false).Position(100), 0.01);
}

TEST(ScaleTest, IntervalOfOneNumberHasItInTheMiddle) {
  EXPECT_DOUBLE_EQ(Scale(5, 5, false).Position(5), 0.5);
  EXPECT_DOUBLE_EQ(Scale(0, 0, false).Position(0), 0.5);
}

TEST(ScaleTest, LabelsTellTicksApart) {
  EXPECT_THAT(Scale::Labels({0.42, 0.44, 0.46}), ElementsAre("0.42", "0.44", "0.46"));
  EXPECT_THAT(Scale::Labels({0, 1000, 2000}), ElementsAre("0", "1000", "2000"));
  EXPECT_THAT(Scale::Labels({0, 20000, 40000}), ElementsAre("0", "20k", "40k"));
  EXPECT_THAT(Scale::Labels({10000, 10000.5}), ElementsAre("10000.0", "10000.5"));
}

TEST(CurveTest, MissingPointBreaksThePathAndOneAloneIsADot) {
  EXPECT_EQ(PathThrough({{0, 1}, {1, 2}, {2, NAN}, {3, 4}, {4, NAN}, {5, 6}, {6, 7}}),
            "M0.0 1.0L1.0 2.0M3.0 4.0h0M5.0 6.0L6.0 7.0");
}

TEST(CurveTest, ManyPointsInOneColumnKeepTheirEndsAndExtremes) {
  std::vector<Point> points;
  for (double y : {5.0, 3.0, 9.0, 1.0, 4.0, 6.0}) points.push_back({.x = 10.1, .y = y});
  EXPECT_EQ(PathThrough(points), "M10.1 5.0L10.1 9.0L10.1 1.0L10.1 6.0");
}

TEST(CurveTest, NothingPresentIsNoPath) { EXPECT_EQ(PathThrough({{0, NAN}, {1, NAN}}), ""); }

TEST(FigureTest, GapsAreShadedWhereAskedFor) {
  Chart chart = OneLine({1, 2, NAN, NAN, 5, 6});
  const Sheet sheet = {.columns = 1, .width = 200, .height = 120};
  EXPECT_THAT(DrawFigure({chart}, sheet), Not(HasSubstr("fill='#f6cfa8'")));
  chart.show_gaps = true;
  EXPECT_THAT(DrawFigure({chart}, sheet), HasSubstr("fill='#f6cfa8'"));
}

TEST(FigureTest, TitlesCannotBreakTheMarkup) {
  Chart chart = OneLine({1, 2});
  chart.title = "a<b & 'c'";
  EXPECT_THAT(DrawFigure({chart}, {}), HasSubstr(">a&lt;b &amp; &#39;c&#39;<"));
}

TEST(FigureTest, ChartWithoutAnyNumberSaysSo) {
  const std::string svg = DrawFigure({OneLine({NAN, NAN}), OneLine({})}, {});
  const size_t first = svg.find("nothing to draw");
  ASSERT_NE(first, svg.npos);
  EXPECT_NE(svg.find("nothing to draw", first + 1), svg.npos);
}

TEST(FigureTest, ExtremeNumbersLeaveFiniteCoordinates) {
  for (const std::vector<double>& y :
       {std::vector<double>{1e300, -1e300}, {1e-310, 0}, {7, 7}, {INFINITY, 1, 2}, {1e15, 1e15 + 1}}) {
    const std::string svg = DrawFigure({OneLine(y)}, {});
    EXPECT_THAT(svg, Not(HasSubstr("nan"))) << y[0];
    EXPECT_THAT(svg, Not(HasSubstr("inf"))) << y[0];
  }
}

TEST(FigureTest, NamedLinesAreInTheLegend) {
  Chart chart = OneLine({1, 2});
  chart.lines.push_back({.name = "held out", .x = {0, 1}, .y = {2, 1}});
  EXPECT_THAT(DrawFigure({chart}, {}), HasSubstr(">held out</text>"));
}

}  // namespace
}  // namespace aaren::training
