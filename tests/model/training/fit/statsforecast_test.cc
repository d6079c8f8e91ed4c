#include "model/training/fit/statsforecast.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "absl/cleanup/cleanup.h"

namespace aaren::training {
namespace {

Backtest Waves() {
  BacktestSeries series = {.name = "n", .values = {}, .origins = {40, 60}, .season = 4};
  for (int t = 0; t < 70; ++t) series.values.push_back(t % 4);
  return {.horizon = 2, .levels = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9}, .series = {series}};
}

std::string FreshFolder() {
  const std::string folder =
      ::testing::TempDir() + "/fake_" + ::testing::UnitTest::GetInstance()->current_test_info()->name();
  std::filesystem::create_directories(folder);
  return folder;
}

// Puts a program called python3 alone on the PATH for as long as the object lives.
class FakePython {
 public:
  explicit FakePython(const std::string& script) : path_(getenv("PATH")) {
    const std::string folder = FreshFolder();
    if (!script.empty()) {
      std::ofstream(folder + "/python3") << "#!/bin/sh\n" << script;
      chmod((folder + "/python3").c_str(), 0755);
    }
    setenv("PATH", folder.c_str(), 1);
  }
  ~FakePython() { setenv("PATH", path_.c_str(), 1); }

 private:
  const std::string path_;
};

absl::Status StatusWith(const std::string& script) {
  const FakePython python(script);
  return StatsforecastForecasts({"AutoETS"}, Waves(), 1).status();
}

TEST(StatsforecastTest, WithoutPythonOrTheLibraryIsNotFound) {
  EXPECT_EQ(StatusWith("").code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(StatusWith("exit 3").code(), absl::StatusCode::kNotFound);
}

TEST(StatsforecastTest, AFailureIsToldWithItsStatus) {
  const absl::Status status = StatusWith("exit 7");
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_NE(std::string(status.message()).find("exit status 7"), std::string::npos) << status;
}

TEST(StatsforecastTest, AFailedFitIsAWindowWithoutAForecast) {
  const FakePython python("echo '[null, [1, 2]]'");
  Backtest backtest = Waves();
  backtest.levels = {0.5};
  const auto forecasts = StatsforecastForecasts({"AutoETS"}, backtest, 1);
  ASSERT_TRUE(forecasts.ok()) << forecasts.status();
  EXPECT_TRUE((*forecasts)[0][0][0].empty());
  EXPECT_EQ((*forecasts)[0][0][1], (WindowQuantiles{1, 2}));
}

TEST(StatsforecastTest, RefusesWindowsOfAnotherShape) {
  for (const char* answer : {"[[1, 2], [1, 2]]", "[null]", "[null, null, null]", "[null, 1]", "{}", "no JSON"}) {
    EXPECT_EQ(StatusWith(std::string("echo '") + answer + "'").code(), absl::StatusCode::kUnavailable) << answer;
  }
}

// A library whose quantile of level q is 100 q, for the intervals that it is asked for. Whole percents alone have names
// without a point, as in statsforecast.
constexpr char kLevelsModel[] = R"(
class Levels:
    def __init__(self, season_length): pass
    def forecast(self, y, h, level):
        made = {"mean": [50] * h}
        for percent in level or []:
            made[f"lo-{percent}"] = [50 - percent / 2] * h
            made[f"hi-{percent}"] = [50 + percent / 2] * h
        return made
)";

TEST(StatsforecastTest, AsksForTheLevelsOfTheBacktest) {
  const std::string folder = FreshFolder();
  std::filesystem::create_directories(folder + "/statsforecast");
  std::ofstream(folder + "/statsforecast/__init__.py");
  std::ofstream(folder + "/statsforecast/models.py") << kLevelsModel;
  std::ofstream(folder + "/numpy.py") << "array = list\n";
  setenv("PYTHONPATH", folder.c_str(), 1);
  const absl::Cleanup unset = [] { unsetenv("PYTHONPATH"); };
  Backtest backtest = Waves();
  for (const std::vector<float>& levels : {std::vector<float>{0.5f}, {0.025f, 0.1f, 0.5f, 0.95f}}) {
    backtest.levels.assign(levels.begin(), levels.end());
    const auto forecasts = StatsforecastForecasts({"Levels"}, backtest, 1);
    if (absl::IsNotFound(forecasts.status())) GTEST_SKIP() << "no python3";
    ASSERT_TRUE(forecasts.ok()) << forecasts.status();
    ASSERT_EQ((*forecasts)[0][0][1].size(), backtest.horizon * levels.size());
    for (size_t i = 0; i < levels.size(); ++i) EXPECT_NEAR((*forecasts)[0][0][1][i], 100 * levels[i], 1e-4) << i;
  }
}

TEST(StatsforecastTest, ASeasonalMethodContinuesAWave) {
  const auto forecasts = StatsforecastForecasts({"SeasonalNaive"}, Waves(), 1);
  if (!forecasts.ok()) GTEST_SKIP() << forecasts.status();
  EXPECT_NEAR((*forecasts)[0][0][1][4], 0, 1e-9) << "row 60";
  EXPECT_NEAR((*forecasts)[0][0][1][9 + 4], 1, 1e-9) << "row 61";
}

}  // namespace
}  // namespace aaren::training
