#include "client/cli/commands/debug/profile_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace aaren::cli {
namespace {

constexpr char kFolded[] = "shard-0;main;step;fold 6\nshard-0;main;step 3\nshard-1;main;write to 2\n";

TEST(ProfileTableTest, AFunctionHasItsOwnTimeAndThatOfWhatItCalls) {
  const std::vector<FunctionShare> shares = FunctionShares(kFolded);
  ASSERT_EQ(shares.size(), 4u);
  EXPECT_EQ(shares[0].name, "fold");
  EXPECT_EQ(shares[0].own, 6u);
  EXPECT_EQ(shares[1].name, "step");
  EXPECT_EQ(shares[1].own, 3u);
  EXPECT_EQ(shares[1].total, 9u);
  EXPECT_EQ(shares[2].name, "write to");
  EXPECT_EQ(shares[3].name, "main");
  EXPECT_EQ(shares[3].own, 0u);
  EXPECT_EQ(shares[3].total, 11u);
}

TEST(ProfileTableTest, OneThatCallsItselfCountsOnce) {
  const std::vector<FunctionShare> shares = FunctionShares("t;f;g;f 5\n");
  EXPECT_EQ(shares[0].name, "f");
  EXPECT_EQ(shares[0].total, 5u);
}

TEST(ProfileTableTest, LinesOfAnotherFormAreLeftOut) { EXPECT_TRUE(FunctionShares("banana\n\nf many\n").empty()); }

TEST(ProfileTableTest, JsonIsALineAStack) {
  EXPECT_EQ(ProfileToJson("t;f;g \"x\" 5\n"), "{\"stack\":[\"t\",\"f\",\"g \\\"x\\\"\"],\"samples\":5}\n");
}

}  // namespace
}  // namespace aaren::cli
