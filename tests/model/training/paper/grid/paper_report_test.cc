#include "model/training/paper/grid/paper_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace aaren::training {
namespace {

using ::testing::HasSubstr;

CompleteCell Cell(bool aaren, uint64_t seed, double accuracy, const std::string& deviation) {
  return {.cell = {.task = "classification", .dataset = "JapaneseVowels", .aaren = aaren, .seed = seed},
          .result = {.scores = {{"accuracy %", accuracy}, {"early harmonic mean", 0.5}},
                     .curves = {{"accuracy", {50, accuracy}}, {"accuracy by share seen", {10, 20}}},
                     .deviations = {"Everywhere.", deviation},
                     .parameters = 1234,
                     .epochs = 20,
                     .seconds = 120,
                     .cpu_seconds = 60,
                     .peak_bytes = 3 << 20}};
}

std::vector<CompleteCell> Cells() {
  return {Cell(false, 0, 96, "Here."), Cell(true, 0, 95, "Here."), Cell(true, 1, 97, "Here."),
          Cell(true, 2, 96, "Here.")};
}

TEST(PaperReportTest, TheSpreadIsTheSampleDeviation) {
  const Spread spread = SpreadOf({95.0, 97.0, 96.0});
  EXPECT_DOUBLE_EQ(spread.mean, 96);
  EXPECT_DOUBLE_EQ(spread.deviation, 1);
  EXPECT_TRUE(std::isnan(SpreadOf({95.0}).deviation));
}

TEST(PaperReportTest, ScoresStandBesideThePapersWithTheirDeviations) {
  const std::string table = PaperTable(Cells());
  EXPECT_THAT(table, HasSubstr("| JapaneseVowels [1][2] | accuracy % | 96.00 | 96.00 ± 1.00 | 96.38 ± 0.91 | "
                               "96.65 ± 0.75 |\n"));
  EXPECT_THAT(table, HasSubstr("| JapaneseVowels [1][2] | early harmonic mean | 0.500 | 0.500 ± 0.000 | - | - |\n"));
  EXPECT_THAT(table, HasSubstr("- [1] Everywhere.\n- [2] Here.\n"));
}

TEST(PaperReportTest, TheCostOfARunIsTold) {
  const std::string table = PaperTable(Cells());
  EXPECT_THAT(table, HasSubstr("| JapaneseVowels | softmax | 0 | 1234 | 20.0 | 2.00 | 1.00 | 3 |\n"));
  EXPECT_THAT(table, HasSubstr("| JapaneseVowels | aaren | 0 1 2 | 1234 |"));
}

TEST(PaperReportTest, ThePageHasAChartOfEachCurve) {
  const std::string page = PaperPage(Cells(), "aaren-train paper --data=<x>", "a machine");
  for (const char* text : {"JapaneseVowels: accuracy<", "JapaneseVowels: accuracy by share seen",
                           "percent of the series seen", "Transformer", "--data=&lt;x&gt;", "a machine"}) {
    EXPECT_THAT(page, HasSubstr(text));
  }
}

TEST(PublishedTest, EveryTaskHasItsDatasets) {
  EXPECT_EQ(DatasetsOf("classification").size(), 10);
  EXPECT_EQ(DatasetsOf("forecasting").size(), 32);
  EXPECT_EQ(DatasetsOf("events").size(), 8);
  EXPECT_TRUE(DatasetsOf("decision").empty());
}

TEST(PublishedTest, ColumnsAreNotMixedUp) {
  const Published* mae = FindPublished("forecasting", "ETTh1-720", "MAE");
  ASSERT_NE(mae, nullptr);
  EXPECT_EQ(mae->aaren.mean, 0.62);
  EXPECT_EQ(mae->softmax.mean, 0.58);
  EXPECT_EQ(FindPublished("events", "Wiki", "NLL")->aaren.deviation, 1.03);
  EXPECT_EQ(FindPublished("events", "Uber", "accuracy %"), nullptr);
}

}  // namespace
}  // namespace aaren::training
