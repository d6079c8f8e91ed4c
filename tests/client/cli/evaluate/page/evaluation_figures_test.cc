#include "client/cli/evaluate/page/evaluation_figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "absl/strings/str_split.h"
#include "client/cli/evaluate/page/evaluation_page.h"

namespace aaren::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Windows at `ages`, with a forecast's MASE of a hundredth of the age.
SeriesScores Aged(const std::vector<uint64_t>& ages) {
  const ForecastScore none({0.1, 0.5, 0.9});
  SeriesScores scores{none, none, none, none};
  for (uint64_t age : ages) {
    const WindowScore naive = {.mase = 2, .loss = 0, .magnitude = 0, .sql = 0};
    const WindowScore forecast = {.mase = 0.01 * static_cast<double>(age), .loss = 0, .magnitude = 0, .sql = 0};
    scores.windows.push_back({age, age, forecast, naive, naive, naive});
  }
  return scores;
}

TEST(AgeBinsTest, EachBinIsTheMeanOfItsWindows) {
  const std::vector<AgeBin> bins = AgeBins({Aged({100, 200, 300, 500})}, 2);
  ASSERT_THAT(bins, SizeIs(2));
  EXPECT_EQ(bins[0].age, 150);
  EXPECT_THAT(bins[0].mase, ElementsAre(1.5, 2, 2, 2));
  EXPECT_EQ(bins[1].age, 400);
}

TEST(AgeBinsTest, WindowsOfOneAgeShareABin) {
  EXPECT_THAT(AgeBins({Aged({100, 200}), Aged({100, 200})}, 8), SizeIs(2));
}

TEST(AgeFigureTest, OneAgeIsNoFigure) { EXPECT_THAT(AgeFigure({Aged({100, 100})}), IsEmpty()); }

TEST(CoverageFigureTest, MarksTheNominalShare) {
  SeriesScores scores = Aged({100});
  scores.forecast.AddWindow(std::vector<double>{1, 9}, std::vector<double>{0, 1, 2, 0, 1, 2}, 1);
  const std::string svg = CoverageFigure({scores});
  EXPECT_THAT(svg, HasSubstr(">nominal<"));
  EXPECT_THAT(svg, HasSubstr(">100 %<"));  // the first row ahead is inside, the second is not
  EXPECT_THAT(svg, HasSubstr(">0 %<"));
}

TEST(AllSurprisesTest, ArePooledWithoutTheMissingOnes) {
  SeriesScores a = Aged({100}), b = Aged({100});
  a.surprises = {0.25, std::nan("")};
  b.surprises = {0.5};
  EXPECT_THAT(AllSurprises({a, b}), ElementsAre(0.25, 0.5));
}

// The heights of the figure's bars, in pixels.
std::vector<double> BarHeights(const std::string& svg) {
  std::vector<double> heights;
  for (size_t at = 0; (at = svg.find("<polygon points=\"", at)) != std::string::npos;) {
    at += sizeof("<polygon points=\"") - 1;
    const std::vector<std::string> points = absl::StrSplit(svg.substr(at, svg.find('"', at) - at), ' ');
    const auto y = [&](size_t i) { return std::stod(points[i].substr(points[i].find(',') + 1)); };
    heights.push_back(y(points.size() - 1) - y(0));  // there along the tops, back along the feet
  }
  std::reverse(heights.begin(), heights.end());  // the first layer added is drawn last
  return heights;
}

TEST(SurpriseFigureTest, EachBarIsAsHighAsItsShareOfTheValues) {
  const std::vector<double> heights = BarHeights(SurpriseFigure({0, 0.05, 0.15, 0.95, 1, 0.99}));
  ASSERT_THAT(heights, SizeIs(10));
  EXPECT_GT(heights[1], 10);
  EXPECT_NEAR(heights[0], 2 * heights[1], 0.2);
  EXPECT_NEAR(heights[9], 3 * heights[1], 0.2);
  EXPECT_EQ(heights[5], 0);
}

TEST(SurpriseFigureTest, MarksTheNominalShare) { EXPECT_THAT(SurpriseFigure({0.5}), HasSubstr(">nominal<")); }

TEST(WorstSeriesFigureTest, TheWorstStandsAtTheTopAndTheBestIsLeftOut) {
  std::vector<ScoreRow> rows(3);
  for (size_t i = 0; i < 3; ++i) rows[i] = {.series = std::string(1, static_cast<char>('a' + i)), .windows = 1};
  rows[0].forecast.mase = 2;
  rows[1].forecast.mase = 3;
  rows[2].forecast.mase = 1;
  const std::string svg = WorstSeriesFigure(rows, 2);
  const auto height = [&](const std::string& label) {
    const size_t text = svg.rfind("y=\"", svg.find(">" + label + "<"));
    return std::stod(svg.substr(text + 3));
  };
  EXPECT_LT(height("b"), height("a"));
  EXPECT_EQ(svg.find(">c<"), std::string::npos);
}

TEST(ForecastFigureTest, ShowsTheForecastBehindItsOrigin) {
  SeriesScores scores = Aged({6});
  scores.forecast.AddWindow(std::vector<double>{1}, std::vector<double>{0, 1, 2}, 1);
  scores.levels = {0.1, 0.5, 0.9};
  scores.samples = {{6, {0, 5, 9, 1, 6, 9}}};
  const EvaluatedSeries series = {
      .name = "a", .values = {0, 1, 2, 3, 4, 5, 6, 7}, .origins = {6}, .samples = {6}, .sample_times = {"noon"}};
  const std::string svg = ForecastFigure(series, scores, 0, 2);
  EXPECT_THAT(svg, HasSubstr("noon · MASE 0.0600"));
  EXPECT_THAT(svg, HasSubstr("<polygon"));
  EXPECT_THAT(svg, HasSubstr("class=\"l actual\""));
}

TEST(SampleOriginsTest, LieInTheMiddlesOfTheThirds) {
  EXPECT_THAT(SampleOrigins({0, 1, 2, 3, 4, 5, 6, 7, 8}), ElementsAre(1, 4, 7));
  EXPECT_THAT(SampleOrigins({5, 9}), ElementsAre(5, 9));
}

}  // namespace
}  // namespace aaren::cli
