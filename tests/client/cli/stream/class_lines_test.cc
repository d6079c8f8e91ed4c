#include "client/cli/stream/class_lines.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace aaren::cli {
namespace {

std::string LineOf(bool has_times, bool words, const std::vector<float>& probabilities) {
  const ClassLines lines({"x", "y"}, {"rest", "run", "walk", "swim"}, has_times, words);
  client::Forecast forecast;
  forecast.seq = 7;
  forecast.values = probabilities;
  std::string line;
  lines.Append({.time = "2024-01-01 07:00", .values = {1, 2}}, forecast, line);
  return line;
}

TEST(ClassLinesTest, AnObjectHasTheLikeliestClassAndAllProbabilities) {
  EXPECT_EQ(LineOf(/*has_times=*/true, /*words=*/false, {0.125f, 0.25f, 0.5f, 0.125f}),
            "{\"seq\":7,\"time\":\"2024-01-01 07:00\",\"series\":\"x,y\",\"class\":\"walk\",\"probability\":0.5,"
            "\"probabilities\":{\"rest\":0.125,\"run\":0.25,\"walk\":0.5,\"swim\":0.125}}\n");
}

TEST(ClassLinesTest, WordsHaveTheThreeLikeliestClasses) {
  EXPECT_EQ(LineOf(/*has_times=*/true, /*words=*/true, {0.125f, 0.25f, 0.5f, 0.125f}),
            "2024-01-01 07:00  walk 50 %, run 25 %, rest 12 %\n");
}

TEST(ClassLinesTest, WithoutTimesWordsBeginWithTheRow) {
  EXPECT_EQ(LineOf(/*has_times=*/false, /*words=*/true, {1, 0, 0, 0}), "row 7  rest 100 %, run 0 %, walk 0 %\n");
}

TEST(ClassLinesTest, TheFirstOfEquallyLikelyClassesIsNamed) {
  EXPECT_EQ(LineOf(/*has_times=*/false, /*words=*/false, {0.25f, 0.25f, 0.25f, 0.25f}),
            "{\"seq\":7,\"time\":null,\"series\":\"x,y\",\"class\":\"rest\",\"probability\":0.25,"
            "\"probabilities\":{\"rest\":0.25,\"run\":0.25,\"walk\":0.25,\"swim\":0.25}}\n");
}

}  // namespace
}  // namespace aaren::cli
