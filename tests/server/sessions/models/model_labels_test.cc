#include "server/sessions/models/model_labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

namespace aaren::models {
namespace {

using ::testing::HasSubstr;

TEST(ModelLabelsTest, NameVersionsAndAShare) {
  const auto labels = ParseLabels("# whom we trust\n\na@stable 3\r\n  a@canary\t4  2.5%  # since Monday\nb@stable 1");
  ASSERT_TRUE(labels.ok()) << labels.status();
  EXPECT_EQ(labels->Find("a", "stable")->version, 3);
  EXPECT_EQ(labels->Find("b", "stable")->version, 1);
  EXPECT_EQ(labels->Find("b", "canary"), nullptr);
  EXPECT_EQ(labels->Shared("a")->version, 4);
  EXPECT_DOUBLE_EQ(labels->Shared("a")->share, 0.025);
  EXPECT_EQ(labels->Shared("b"), nullptr);
}

TEST(ModelLabelsTest, ABadLineIsRefusedByItsNumber) {
  for (const char* line : {"a@stable", "a 3", "a@ 3", "a@stable three", "a@stable 0", "a@canary 4 5", "a@canary 4 101%",
                           "a@canary 4 nan%", "a@stable 3 5% 7", "A@stable 3"}) {
    const auto labels = ParseLabels(absl::StrCat("b@stable 1\n", line));
    EXPECT_TRUE(absl::IsInvalidArgument(labels.status())) << line;
    EXPECT_THAT(std::string(labels.status().message()), HasSubstr("line 2: ")) << line;
  }
}

TEST(ModelLabelsTest, ALabelTwiceAndASecondShareAreRefused) {
  EXPECT_FALSE(ParseLabels("a@stable 1\na@stable 2").ok());
  EXPECT_FALSE(ParseLabels("a@canary 1 5%\na@other 2 5%").ok());
  EXPECT_TRUE(ParseLabels("a@canary 1 5%\nb@canary 2 5%").ok());
}

TEST(ModelLabelsTest, DrawsAreEven) {
  constexpr int kSessions = 100'000, kTenths = 10;
  int counts[kTenths] = {};
  for (int i = 0; i < kSessions; ++i) ++counts[static_cast<int>(DrawOf(absl::StrCat("tenant/series-", i)) * kTenths)];
  for (const int count : counts) EXPECT_NEAR(count, kSessions / kTenths, 500);  // five standard deviations
}

// Servers with a shared store agree, also across versions and machines.
TEST(ModelLabelsTest, ADrawIsTheSameEverywhere) {
  EXPECT_EQ(DrawOf("tenant/a"), 0x1699b03bdc9d25p-53);
  EXPECT_EQ(DrawOf("other/a"), 0x6504f3d31a16bp-53);
  EXPECT_EQ(DrawOf("tenant/\xc3\xbc"), 0x1d3960831dcdefp-53);
}

}  // namespace
}  // namespace aaren::models
