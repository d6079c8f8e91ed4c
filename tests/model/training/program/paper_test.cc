// `aaren-train paper`, run as a user runs the program, on small files of the formats of the public sets.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tests/model/training/program/train_program.h"

namespace aaren::training {
namespace {

using ::testing::HasSubstr;

// Series of two classes: sines of one or of the other period, in two channels.
void WriteTsFile(const std::string& path, int cases) {
  std::ofstream file(path);
  file << "@problemName Tiny\n@classLabel true slow fast\n@data\n";
  for (int i = 0; i < cases; ++i) {
    const double rate = i % 2 == 0 ? 0.3 : 1.1;
    for (const double phase : {0.0, 1.0}) {
      for (int t = 0; t < 20 + i % 3; ++t) file << (t > 0 ? "," : "") << std::sin(rate * t + phase + i);
      file << ":";
    }
    file << (i % 2 == 0 ? "slow" : "fast") << "\n";
  }
}

// Data under the name of a public set, whose reader knows no other names.
std::string TinyVowels() {
  const std::string data = Folder() + "/data";
  std::filesystem::create_directories(data + "/JapaneseVowels");
  WriteTsFile(data + "/JapaneseVowels/JapaneseVowels_TRAIN.ts", 24);
  WriteTsFile(data + "/JapaneseVowels/JapaneseVowels_TEST.ts", 12);
  return data;
}

std::string Classify(const std::string& more) {
  return absl::StrCat(" paper --task=classification --dataset=JapaneseVowels --data=", Folder(),
                      "/data --output=", Folder(), "/grid --threads=2 ", more);
}

TEST(PaperTest, WritesATableAndAPage) {
  TinyVowels();
  const Outcome outcome = Execute(Classify("--seeds=0-1 --epochs=3"));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.text;
  EXPECT_THAT(outcome.text, HasSubstr("4 of 4 cells are complete"));
  const std::string table = TextOf(Folder() + "/grid/table.md");
  EXPECT_THAT(table, HasSubstr("| 96.38 ± 0.91 | 96.65 ± 0.75 |"));
  EXPECT_THAT(table, HasSubstr("At most 3 epochs."));
  EXPECT_THAT(outcome.text, HasSubstr(table));
  EXPECT_THAT(TextOf(Folder() + "/grid/report.html"), HasSubstr("accuracy by share seen"));
}

TEST(PaperTest, ASeedGivesOneResult) {
  TinyVowels();
  ASSERT_EQ(Execute(Classify("--seeds=5 --epochs=2 --mixer=aaren")).exit_code, 0);
  const std::string result = Folder() + "/grid/classification-JapaneseVowels-aaren-5.json";
  const auto scores = [&] { return TextOf(result).substr(TextOf(result).find("\"curves\"")); };
  const std::string curves = scores().substr(0, scores().find("deviations"));
  std::filesystem::remove(result);
  ASSERT_EQ(Execute(Classify("--seeds=5 --epochs=2 --mixer=aaren")).exit_code, 0);
  EXPECT_EQ(scores().substr(0, scores().find("deviations")), curves);
}

TEST(PaperTest, AKilledGridGoesOn) {
  TinyVowels();
  const std::string first = Folder() + "/grid/classification-JapaneseVowels-softmax-0.json";
  const std::string command = Classify("--seeds=0-3 --epochs=4 --threads=1");
  Execute(command + " & job=$!; while kill -0 $job && ! [ -s " + first + " ]; do sleep 0.01; done; kill -9 $job");
  ASSERT_TRUE(std::filesystem::exists(first));
  ASSERT_FALSE(std::filesystem::exists(Folder() + "/grid/table.md"));
  const auto time = std::filesystem::last_write_time(first);
  const Outcome outcome = Execute(command);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.text;
  EXPECT_EQ(std::filesystem::last_write_time(first), time);
}

TEST(PaperTest, ForecastsATable) {
  const std::string folder = Folder();
  std::filesystem::create_directories(folder + "/data/Weather");
  std::ofstream file(folder + "/data/Weather/weather.csv");
  file << "date,a,OT\n";
  for (int row = 0; row < 1000; ++row) {
    const int day = row / 24;
    file << absl::StrFormat("2020-%02d-%02d %02d:00:00,%.3f,%.3f\n", 1 + day / 28, 1 + day % 28, row % 24,
                            std::sin(0.26 * row), std::cos(0.26 * row));
  }
  file.close();
  const Outcome outcome = Execute(absl::StrCat(
      " paper --task=forecasting --dataset=Weather-96 --seeds=0 --mixer=aaren --epochs=1 --width=16 --data=", folder,
      "/data --output=", folder, "/grid"));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.text;
  EXPECT_THAT(outcome.text, HasSubstr("| Weather-96 [1][2][3][4] | MSE | - |"));
  EXPECT_THAT(outcome.text, HasSubstr("| 0.18 ± 0.00 | 0.18 ± 0.00 |"));
}

TEST(PaperTest, ForecastsEvents) {
  const std::string folder = Folder();
  std::filesystem::create_directories(folder + "/data/wikipedia");
  for (const char* part : {"train", "val", "test"}) {
    std::ofstream file(absl::StrCat(folder, "/data/wikipedia/", part, ".jsonl"));
    for (int i = 0; i < 6; ++i)
      file << R"({"times": [0, 1e5, 3e5, 9e5, 9e5, 2e6], "marks": [1, 2, 1, 2, 1, 3]})"
           << "\n";
  }
  const Outcome outcome = Execute(absl::StrCat(
      " paper --task=events --dataset=Wiki --seeds=0 --epochs=2 --data=", folder, "/data --output=", folder, "/grid"));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.text;
  for (const char* text : {"6/6/6 sequences, 3 marks", "| RMSE, usual |", "| 9.66 ± 0.98 | 8.98 ± 1.03 |"}) {
    EXPECT_THAT(outcome.text, HasSubstr(text));
  }
}

TEST(PaperTest, ACellNamedTwiceIsOneCell) {
  TinyVowels();
  const Outcome outcome =
      Execute(Classify("--dataset=JapaneseVowels,JapaneseVowels --mixer=aaren,aaren --seeds=0,0 --epochs=1"));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.text;
  EXPECT_THAT(outcome.text, HasSubstr("1 of 1 cells are complete"));
}

TEST(PaperTest, WrongFlagsAreNamed) {
  const std::string start = " paper --data=x --output=y ";
  ExpectUserError(start, "--dataset=NAMES is required");
  ExpectUserError(start + "--dataset=Nosuch", "--dataset=Nosuch is none of classification: EthanolConcentration");
  ExpectUserError(start + "--dataset=,", "--dataset=, names no dataset");
  ExpectUserError(start + "--dataset=Heartbeat --seeds=4-0", "--seeds=4-0");
  ExpectUserError(start + "--task=forecasting --dataset=Weather --width=20", "--width=20");
  ExpectUserError(start + "--dataset=Heartbeat --mixer=linear", "--mixer=linear");
  ExpectUserError(start + "--task=decision --dataset=Ant", "--task=decision");
}

TEST(PaperTest, DataThatCannotBeReadAreNamed) {
  const std::string data = TinyVowels();
  std::ofstream(data + "/JapaneseVowels/JapaneseVowels_TEST.ts", std::ios::app) << "1,2:3,x:slow\n";
  ExpectUserError(Classify(""), "JapaneseVowels_TEST.ts:16: channel 1: \"x\" is no finite number");
  ExpectUserError(" paper --dataset=Heartbeat --data=/nowhere --output=" + Folder() + "/grid",
                  "/nowhere/Heartbeat/Heartbeat_TRAIN.ts");
  ExpectUserError(absl::StrCat(" paper --task=events --dataset=Taxi --data=/nowhere --output=", Folder(), "/grid"),
                  "Taxi");
}

}  // namespace
}  // namespace aaren::training
