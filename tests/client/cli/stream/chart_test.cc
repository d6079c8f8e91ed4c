#include "client/cli/stream/chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "absl/strings/str_split.h"
#include "tests/client/cli/stream/without_colours.h"

namespace aaren::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

int Columns(const std::string& line) {
  int columns = 0;
  for (char c : line) columns += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1 : 0;
  return columns;
}

SeriesChart Wave() {
  SeriesChart series{.name = "load"};
  for (int i = 0; i < 200; ++i) {
    series.values.push_back(static_cast<float>(20 * std::sin(i * 0.2)));
    series.surprise.push_back(0.5f);
  }
  for (int h = 0; h < 24; ++h) {
    series.median.push_back(static_cast<float>(20 * std::sin((200 + h) * 0.2)));
    series.low.push_back(series.median.back() - 5);
    series.high.push_back(series.median.back() + 5);
  }
  return series;
}

TEST(ChartTest, FillsTheTerminalAndNoMore) {
  for (int width : {1, 17, 40, 80, 200}) {
    for (int height : {1, 2, 5, 24, 60}) {
      const std::vector<std::string> lines =
          absl::StrSplit(WithoutColours(Render({{Wave(), Wave()}, "status"}, width, height)), '\n');
      EXPECT_EQ(lines.size(), static_cast<size_t>(height));
      for (const std::string& line : lines) EXPECT_LE(Columns(line), width) << width << " x " << height;
    }
  }
}

TEST(ChartTest, ShowsNameLatestValueAndScale) {
  const std::string text = WithoutColours(Render({{Wave()}, "status"}, 80, 12));
  EXPECT_THAT(text, HasSubstr("load  17.26"));
  EXPECT_THAT(text, HasSubstr("   -25 "));
  EXPECT_THAT(text, HasSubstr("status"));
}

TEST(ChartTest, ForecastLiesBehindNowInsideItsInterval) {
  const std::vector<std::string> lines = absl::StrSplit(WithoutColours(Render({{Wave()}, ""}, 80, 12)), '\n');
  int shaded = 0;
  for (size_t row = 1; row + 1 < lines.size(); ++row) {
    const size_t now = lines[row].find("│");
    ASSERT_NE(now, std::string::npos);
    EXPECT_EQ(lines[row].substr(0, now).find("░"), std::string::npos);
    if (lines[row].find("░", now) != std::string::npos) ++shaded;
  }
  EXPECT_GT(shaded, 2);
}

TEST(ChartTest, SurprisingValuesAreMarked) {
  SeriesChart series = Wave();
  EXPECT_THAT(Render({{series}, ""}, 80, 12), Not(HasSubstr("●")));
  series.surprise[190] = 0.995f;
  EXPECT_THAT(Render({{series}, ""}, 80, 12), HasSubstr("●"));
}

TEST(ChartTest, ChosenRateDecidesWhatIsMarked) {
  SeriesChart series = Wave();
  series.surprise[190] = 0.995f;
  EXPECT_THAT(Render({{series}, "", AlertRule(0.02)}, 80, 12), HasSubstr("●"));
  EXPECT_THAT(Render({{series}, "", AlertRule(0.001)}, 80, 12), Not(HasSubstr("●")));
}

TEST(ChartTest, AlertsAreCountedBesideTheValue) {
  SeriesChart series = Wave();
  EXPECT_THAT(WithoutColours(Render({{series}, ""}, 80, 12)), Not(HasSubstr("alerts")));
  series.alerts = 3;
  EXPECT_THAT(WithoutColours(Render({{series}, ""}, 80, 12)), HasSubstr("load  17.26  alerts: 3"));
}

TEST(ChartTest, CountOfAlertsFitsTheTerminalToo) {
  SeriesChart series = Wave();
  series.name = "a series of a rather long name";
  series.alerts = 1234567;
  for (int width = 1; width < 60; ++width) {
    const std::vector<std::string> lines = absl::StrSplit(WithoutColours(Render({{series}, ""}, width, 12)), '\n');
    EXPECT_LE(Columns(lines[0]), width) << lines[0];
  }
}

TEST(ChartTest, SeriesThatDoNotFitAreCounted) {
  const std::string text = Render({{Wave(), Wave(), Wave()}, "status"}, 80, 9);
  EXPECT_THAT(text, HasSubstr("1 more series"));
}

TEST(ChartTest, MissingValuesLeaveAGap) {
  SeriesChart series{.name = "load", .values = {1, std::nanf(""), std::nanf(""), std::nanf(""), std::nanf(""), 1}};
  const std::string whole = WithoutColours(Render({{{.name = "load", .values = {1, 1, 1, 1, 1, 1}}}, ""}, 20, 5));
  EXPECT_NE(WithoutColours(Render({{series}, ""}, 20, 5)), whole);
}

TEST(ChartTest, FlatSeriesIsNoPictureOfItsRounding) {
  const SeriesChart series{
      .name = "idle", .values = {0, 0, 0}, .low = {0, 0}, .median = {1e-32f, -1e-32f}, .high = {2e-32f, 2e-32f}};
  const std::string text = WithoutColours(Render({{series}, ""}, 40, 6));
  EXPECT_THAT(text, HasSubstr("      1 "));
  EXPECT_THAT(text, HasSubstr("     -1 "));
}

TEST(ChartTest, DrawsBeforeAnythingIsKnown) {
  SeriesChart series{.name = "load"};
  EXPECT_THAT(WithoutColours(Render({{series}, "connecting"}, 60, 10)), HasSubstr("load  -"));
}

TEST(ChartTest, NumbersStayShort) {
  EXPECT_EQ(CompactNumber(0), "0");
  EXPECT_EQ(CompactNumber(41.25), "41.25");
  EXPECT_EQ(CompactNumber(1'530'000), "1.53M");
  EXPECT_EQ(CompactNumber(-12'345), "-12.35k");
  for (double value = 1e-30; value < 1e30; value *= 9.87654321) {
    EXPECT_LE(CompactNumber(-value).size(), 8u) << value;
  }
}

}  // namespace
}  // namespace aaren::cli
