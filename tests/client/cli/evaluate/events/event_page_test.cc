#include "client/cli/evaluate/events/event_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "absl/strings/str_split.h"

namespace aaren::cli {
namespace {

using ::testing::HasSubstr;

EventScores Scores() {
  EventScores scores = {.evaluation = {.events = 7, .fresh_share = 0.25}, .model = "aaren-events:1"};
  scores.evaluation.times = {{.name = "model", .nll = 1.5, .surprises = std::vector<double>(20, 0.05)},
                             {.name = "Hawkes, refitted", .nll = 2.5, .wql = 0.5}};
  scores.evaluation.marks = {{.name = "model", .nll = 0.5, .accuracy = 0.25},
                             {.name = "repeat", .nll = 0.75, .accuracy = 0.5}};
  scores.samples = {
      {.series = "<web>", .event = {3, 4}, .gap = {1, 2}, .low = {1, 1}, .median = {2, 2}, .high = {9, 9}}};
  return scores;
}

TEST(EventPageTest, HasTheTablesWithTheBestOfEachColumn) {
  const std::string page = EventPage(Scores(), {.command = "aaren evaluate", .file = "a&b.csv", .series = 1});
  EXPECT_THAT(page, HasSubstr("<th scope=\"row\">model</th><td class=\"best\">1.5000</td>"));
  EXPECT_THAT(page,
              HasSubstr("<th scope=\"row\">repeat</th><td class=\"\">0.7500</td><td class=\"better\">0.5000</td>"));
  EXPECT_THAT(page, HasSubstr("a&amp;b.csv: 1 series"));
  EXPECT_THAT(page, HasSubstr("The last intervals of &lt;web&gt;"));
  EXPECT_THAT(page, testing::EndsWith("</body></html>\n"));
}

TEST(EventScoresTest, AMethodIsALineOfJson) {
  const std::vector<std::string> lines =
      absl::StrSplit(EventScoresToJsonLines(Scores().evaluation), '\n', absl::SkipEmpty());
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(nlohmann::json::parse(lines[1])["wql"], 0.5);
  EXPECT_EQ(nlohmann::json::parse(lines[3])["named"], 0.5);
}

}  // namespace
}  // namespace aaren::cli
