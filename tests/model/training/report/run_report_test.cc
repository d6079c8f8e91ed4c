#include "model/training/report/run_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace aaren::training {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

RunRecord Record() {
  RunRecord record = RecordHere(3);
  record.name = "tiny";
  record.command = "aaren-train --description='a < b'";
  record.data = "synthetic";
  record.seed = 5;
  record.data_seed = 6;
  record.flags = {{"steps", "20"}, {"columns", "<none>"}};
  return record;
}

History Twenty() {
  History history;
  for (int64_t step = 1; step <= 20; ++step) history.AddStep(step, 20, 1.0 / static_cast<double>(step), 100, 0.5);
  history.AddCheck({.step = 10, .loss = 0.25});
  history.AddCheck({.step = 20, .loss = 0.5});
  return history;
}

std::string ReportOf(const History& history) {
  return RunReport(Record(), {.step = 20, .steps = 40, .seconds = 3725, .parameters = 451, .history = &history});
}

TEST(RunReportTest, TellsOfTheRun) {
  const std::string report = ReportOf(Twenty());
  EXPECT_THAT(report, HasSubstr("<td>20 of 40</td>"));
  EXPECT_THAT(report, HasSubstr("<td>0.25000, after step 10</td>"));
  EXPECT_THAT(report, HasSubstr("1:02:05"));
  EXPECT_THAT(report, HasSubstr("<td>200 tokens a second</td>"));
  EXPECT_THAT(report, HasSubstr("3 thread(s)"));
  EXPECT_THAT(report, HasSubstr("<td>451</td>"));
}

TEST(RunReportTest, StandsAlone) {
  const std::string report = ReportOf(Twenty());
  for (const char* reference : {"src=", "href=", "url(", "<script"}) EXPECT_THAT(report, Not(HasSubstr(reference)));
}

TEST(RunReportTest, WhatWasTypedIsText) {
  const std::string report = ReportOf(Twenty());
  EXPECT_THAT(report, HasSubstr("a &lt; b"));
  EXPECT_THAT(report, HasSubstr("&lt;none&gt;"));
}

TEST(RunReportTest, FilesAreThereOnlyWhereTheyWereScored) {
  History history = Twenty();
  EXPECT_THAT(ReportOf(history), Not(HasSubstr("seasonal naive")));
  history.AddQuality("waves", {.step = 20, .mase = 0.875, .relative = 0.5});
  const std::string report = ReportOf(history);
  EXPECT_THAT(report, HasSubstr("MASE / seasonal naive"));
  EXPECT_THAT(report, HasSubstr("<tr><td>10</td><td>0.2500</td><td>-</td><td>-</td></tr>"));
  EXPECT_THAT(report, HasSubstr("<tr><td>20</td><td>0.5000</td><td>0.8750</td><td>0.5000</td></tr>"));
}

TEST(RunReportTest, NamesTheNewestAndLeastLossOfEachGroupOfHeldOutSeries) {
  History history = Twenty();
  EXPECT_THAT(ReportOf(history), Not(HasSubstr("by family")));
  history.AddGroup("solar", {.step = 10, .loss = 0.125});
  history.AddGroup("solar", {.step = 20, .loss = 0.75});
  EXPECT_THAT(ReportOf(history), HasSubstr("<td>solar</td><td>0.7500</td><td>0.1250</td>"));
}

TEST(RunReportTest, OfARunWithoutAnyStepSaysSo) { EXPECT_THAT(ReportOf(History()), HasSubstr("none yet")); }

TEST(RunReportTest, IsAmongTheCheckpointsOrBesideThePackage) {
  EXPECT_EQ(ReportPath("run", "models/mine"), "run/report.html");
  EXPECT_EQ(ReportPath("", "models/mine/"), "models/mine.report.html");
}

TEST(RunReportTest, ReplacesTheOneBefore) {
  const std::string path = ::testing::TempDir() + "/run_report_test/folder/report.html";
  const History none;
  ASSERT_TRUE(WriteRunReport(path, Record(), {.step = 1, .steps = 40, .history = &none}).ok());
  const History history = Twenty();
  ASSERT_TRUE(WriteRunReport(path, Record(), {.step = 20, .steps = 40, .history = &history}).ok());
  std::ifstream file(path);
  EXPECT_THAT(std::string(std::istreambuf_iterator<char>(file), {}), HasSubstr("20 of 40"));
}

TEST(RunReportTest, PathThatCannotBeWrittenIsNamed) {
  const History history;
  const absl::Status status = WriteRunReport("/proc/nowhere/report.html", Record(), {.history = &history});
  EXPECT_TRUE(absl::IsUnavailable(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("/proc/nowhere/report.html"));
}

TEST(RunReportTest, AFullDiskLeavesTheReportBeforeAndNothingElse) {
  const std::string folder = ::testing::TempDir() + "/run_report_test/full", path = folder + "/report.html";
  std::filesystem::remove_all(folder);
  const History history = Twenty();
  ASSERT_TRUE(WriteRunReport(path, Record(), {.step = 20, .steps = 40, .history = &history}).ok());
  std::filesystem::create_symlink("/dev/full", path + ".partial");
  EXPECT_TRUE(absl::IsUnavailable(WriteRunReport(path, Record(), {.step = 30, .steps = 40, .history = &history})));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
  std::ifstream file(path);
  EXPECT_THAT(std::string(std::istreambuf_iterator<char>(file), {}), HasSubstr("20 of 40"));
}

TEST(TrainingSummaryTest, RecordsSeedsCodeAndHeldOutMetrics) {
  TrainResult result;
  result.held_out_loss = 0.431;
  result.held_out = {.coverage80 = 0.81, .relative = 0.625};
  const auto summary = TrainingSummary(Record(), result);
  EXPECT_EQ(summary.at("held_out_loss"), "0.43100");
  EXPECT_EQ(summary.at("held_out_coverage_80"), "0.8100");
  EXPECT_EQ(summary.at("held_out_error_to_last_value"), "0.6250");
  EXPECT_EQ(summary.at("seed"), "5");
  EXPECT_EQ(summary.at("data_seed"), "6");
  EXPECT_THAT(summary.at("code_version"), StartsWith(AAREN_VERSION));
}

TEST(TrainingSummaryTest, LeavesOutCoverageOfAModelWithoutTheLevels) {
  TrainResult result;
  result.held_out = {.coverage80 = NAN, .relative = 0.5};
  EXPECT_EQ(TrainingSummary(Record(), result).count("held_out_coverage_80"), 0u);
}

}  // namespace
}  // namespace aaren::training
