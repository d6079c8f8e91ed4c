#include "model/tasks/classification/ts_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "absl/strings/str_cat.h"

namespace aaren::classification {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();
constexpr char kHeader[] = "# a comment\n@problemName Tiny\n@timeStamps false\n@classLabel true b a\n\n@data\n";

std::string FileOf(const std::string& text) {
  const std::string path =
      absl::StrCat(::testing::TempDir(), "/", ::testing::UnitTest::GetInstance()->current_test_info()->name(), ".ts");
  std::ofstream(path) << text;
  return path;
}

void ExpectRefusal(const std::string& text, const std::string& place, const std::string& why) {
  const absl::Status status = ReadTsFile(FileOf(text)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(place));
  EXPECT_THAT(std::string(status.message()), HasSubstr(why));
}

TEST(TsFileTest, ReadsCasesOfUnequalLength) {
  const absl::StatusOr<LabelledSet> set =
      ReadTsFile(FileOf(absl::StrCat(kHeader, "1,2.5:3,-4e1:b\n% between\n5,6,7:8,9,10: a \r\n")));
  ASSERT_TRUE(set.ok()) << set.status();
  EXPECT_THAT(set->classes, ElementsAre("a", "b"));
  ASSERT_EQ(set->cases.size(), 2);
  EXPECT_THAT(set->cases[0].channels, ElementsAre(ElementsAre(1, 2.5f), ElementsAre(3, -40)));
  EXPECT_EQ(set->cases[0].label, 1);
  EXPECT_EQ(set->cases[1].label, 0);
  EXPECT_EQ(set->longest(), 3);
}

TEST(TsFileTest, RefusesByFileAndLine) {
  const std::string header = kHeader;
  ExpectRefusal(header + "1,2:3,4:a\n1,x:3,4:a\n", ".ts:8:", "channel 0: \"x\" is no finite number");
  ExpectRefusal(header + "1,inf:3,4:a\n", ".ts:7:", "\"inf\"");
  ExpectRefusal(header + "1,2:3:a\n", ".ts:7:", "channel 1 has 1 values, channel 0 has 2");
  ExpectRefusal(header + "1,2:3,4:a\n1,2:a\n", ".ts:8:", "1 channels, not 2");
  ExpectRefusal(header + "1,2:3,4:c\n", ".ts:7:", "the class \"c\" is none of a, b");
  ExpectRefusal(header + "a\n", ".ts:7:", "0 channels");
  ExpectRefusal(header, ".ts:6:", "without a case");
  ExpectRefusal("1,2:a\n", ".ts:1:", "data before @data");
  ExpectRefusal("@timeStamps true\n", ".ts:1:", "time stamps");
  ExpectRefusal("@classLabel false\n@data\n", ".ts:2:", "@classLabel");
}

TEST(TsFileTest, GapsAreFilledInAStraightLine) {
  absl::StatusOr<LabelledSet> set = ReadTsFile(FileOf(absl::StrCat(kHeader, "?,1,?,?,4,?:a\n?,?:b\n")));
  ASSERT_TRUE(set.ok()) << set.status();
  FillGaps(*set);
  EXPECT_THAT(set->cases[0].channels[0], ElementsAre(1, 1, 2, 3, 4, 4));
  EXPECT_THAT(set->cases[1].channels[0], ElementsAre(0, 0));
}

TEST(TsFileTest, GapsMayHoldTheLastValue) {
  LabelledSet set = {.classes = {"a", "b"}, .cases = {{.channels = {{kMissing, 2, kMissing, kMissing, 5}}}}};
  HoldLast(set);
  EXPECT_THAT(set.cases[0].channels[0], ElementsAre(0, 2, 2, 2, 5));
}

TEST(TsFileTest, ScalesLeaveMissingValuesOut) {
  const LabelledSet set = {
      .classes = {"a", "b"},
      .cases = {{.channels = {{1, kMissing}, {kMissing, kMissing}}}, {.channels = {{3, 5}, {kMissing, kMissing}}}}};
  const std::vector<ChannelScale> scales = ScalesOf(set);
  EXPECT_EQ(scales[0].mean, 3);
  EXPECT_EQ(scales[0].deviation, 2);
  EXPECT_EQ(scales[1].deviation, 0);
}

TEST(TsFileTest, ChannelsAreStandardisedOverAllCases) {
  LabelledSet set = {.classes = {"a", "b"},
                     .cases = {{.channels = {{1, 2, 3}}, .label = 0}, {.channels = {{6}}, .label = 1}}};
  Standardise(set);
  const float deviation = std::sqrt(14.0f / 3);  // mean 3; squares 4 + 1 + 0 + 9, by one less than 4
  EXPECT_THAT(set.cases[0].channels[0],
              ElementsAre(FloatNear(-2 / deviation, 1e-6f), FloatNear(-1 / deviation, 1e-6f), FloatNear(0, 1e-6f)));
  EXPECT_THAT(set.cases[1].channels[0], ElementsAre(FloatNear(3 / deviation, 1e-6f)));
}

TEST(TsFileTest, AConstantChannelStaysFinite) {
  LabelledSet set = {.classes = {"a", "b"}, .cases = {{.channels = {{5, 5}}, .label = 0}}};
  Standardise(set);
  EXPECT_THAT(set.cases[0].channels[0], ElementsAre(0, 0));
}

TEST(TsFileTest, CasesAreStandardisedAcrossTheirChannels) {
  LabelledSet set = {.classes = {"a", "b"}, .cases = {{.channels = {{1, 3}, {0, 10}}, .label = 0}}};
  StandardiseCases(set);  // less the mean: {-1, 1} and {-5, 5}; deviations between the channels: 2 and 2
  EXPECT_THAT(set.cases[0].channels[0], ElementsAre(FloatNear(-0.5f, 1e-5f), FloatNear(0.5f, 1e-5f)));
  EXPECT_THAT(set.cases[0].channels[1], ElementsAre(FloatNear(-2.5f, 1e-5f), FloatNear(2.5f, 1e-5f)));
}

}  // namespace
}  // namespace aaren::classification
