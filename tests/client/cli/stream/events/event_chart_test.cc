#include "client/cli/stream/events/event_chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "absl/strings/str_split.h"
#include "client/cli/terminal/shown.h"
#include "tests/client/cli/stream/without_colours.h"

namespace aaren::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class EventChartTest : public ::testing::Test {
 protected:
  EventChartTest() { chart_.SetQuantiles(levels_); }

  void Add(int64_t time_s, const std::string& mark, float surprise, bool learning = false) {
    const uint32_t marks[] = {*names_.Add(mark), client::kNewMark};
    client::Forecast forecast{.values = times_, .surprise = {&surprise, 1}};
    forecast.learning = absl::MakeConstSpan(&learning, 1);
    forecast.event = {.within = within_, .marks = marks, .mark_probabilities = probabilities_};
    chart_.Add({.time = std::to_string(time_s), .time_ns = time_s * 1'000'000'000, .values = {}, .mark = mark},
               forecast);
  }

  std::vector<std::string> Lines(int width, int height) const {
    return absl::StrSplit(WithoutColours(chart_.Render("web", width, height)), '\n');
  }

  client::MarkNames names_;
  EventChart chart_{{"1m"}, AlertRule(0.01), names_};
  std::vector<float> levels_ = {0.1f, 0.5f, 0.9f}, times_ = {1, 4, 16}, within_ = {0.5f},
                     probabilities_ = {0.75f, 0.25f};
};

TEST_F(EventChartTest, ShowsTheNextEventItsMarksAndTheLatest) {
  Add(0, "a", std::nanf(""));
  Add(90, "b", 0.5f);
  const std::vector<std::string> lines = Lines(80, 12);
  ASSERT_EQ(lines.size(), 12u);
  EXPECT_EQ(lines[0], "next event  in 4 s (1 s .. 16 s)");
  EXPECT_THAT(lines[2], testing::AllOf(StartsWith("  within 1m"), HasSubstr("50 %")));
  EXPECT_THAT(lines[4], testing::AllOf(StartsWith("  b "), HasSubstr("75 %")));
  EXPECT_THAT(lines[5], testing::AllOf(StartsWith("  (new)"), HasSubstr("25 %")));
  EXPECT_EQ(lines[7], "   90  +1.5 min   0.500  b");
  EXPECT_THAT(lines[8], HasSubstr("0  +-"));
  EXPECT_THAT(lines[11], StartsWith(" web"));
}

// An octave of the axis is as wide as any other: from 0.5 s to 32 s the median of 4 s stands in the middle.
TEST_F(EventChartTest, TheBarIsLogarithmic) {
  Add(0, "a", 0.5f);
  const std::string bar = Lines(80, 8)[1];
  EXPECT_THAT(bar, StartsWith("  500 ms ───"));
  const size_t begin = bar.find("─"), middle = bar.find("┃"), end = bar.rfind("─");
  EXPECT_NEAR(static_cast<double>(middle - begin), static_cast<double>(end - middle), 3);
}

TEST_F(EventChartTest, NoLineIsWiderThanTheTerminal) {
  Add(0, std::string(60, 'x'), 0.5f);
  for (const int width : {16, 48, 133}) {
    for (const std::string& line : Lines(width, 30)) EXPECT_LE(Columns(line), static_cast<size_t>(width)) << line;
  }
}

TEST_F(EventChartTest, SurprisingEventsAreMarked) {
  Add(0, "a", 0.999f);
  EXPECT_THAT(chart_.Render("web", 80, 12), HasSubstr("●"));
}

TEST_F(EventChartTest, EventsOfASessionThatIsLearningAreNotMarked) {
  Add(0, "a", 0.999f, true);
  EXPECT_THAT(chart_.Render("web", 80, 12), Not(HasSubstr("●")));
}

TEST_F(EventChartTest, BeforeAForecastItSaysSo) {
  times_ = {std::nanf(""), std::nanf(""), std::nanf("")};
  Add(0, "a", std::nanf(""));
  EXPECT_EQ(Lines(80, 5)[0], "next event  unknown yet");
}

}  // namespace
}  // namespace aaren::cli
