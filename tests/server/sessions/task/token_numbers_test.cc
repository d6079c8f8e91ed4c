#include "server/sessions/task/token_numbers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace aaren::task {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class TokenNumbersTest : public ::testing::Test {
 protected:
  const std::vector<float> values_ = {1, 2, 3, 4, 5, 6};
  const std::vector<int64_t> times_ = {10, 20, 30};
  const std::vector<uint32_t> marks_ = {7, 8, 9};
  const std::vector<float> future_ = {.1f, .2f, .3f, .4f, .5f, .6f};
  const TokenNumbers numbers_{values_, times_, marks_, future_};
};

TEST_F(TokenNumbersTest, CountsTokensByTheirChannels) {
  EXPECT_EQ(numbers_.count(2), 3);
  EXPECT_EQ(TokenNumbers{.values = values_}.count(1), 6);
}

TEST_F(TokenNumbersTest, CountsMarksWhereThereAreNoValues) { EXPECT_EQ(TokenNumbers{.marks = marks_}.count(2), 3); }

TEST_F(TokenNumbersTest, OwnsFloatsOfEveryKind) {
  const std::vector<float> covariates = {9, 8, 7};
  const OwnedNumbers owned(TokenNumbers{.values = values_, .future_values = future_, .covariates = covariates});
  EXPECT_EQ(owned.view().values, absl::MakeConstSpan(values_));
  EXPECT_EQ(owned.view().future_values, absl::MakeConstSpan(future_));
  EXPECT_EQ(owned.view().covariates, absl::MakeConstSpan(covariates));
  EXPECT_EQ(owned.bytes(), 15 * sizeof(float));
}

TEST_F(TokenNumbersTest, CutsEveryFieldAtTheSameToken) {
  const TokenNumbers rest = numbers_.From(2, 2);
  EXPECT_THAT(rest.values, ElementsAre(5, 6));
  EXPECT_THAT(rest.times_ns, ElementsAre(30));
  EXPECT_THAT(rest.marks, ElementsAre(9));
  EXPECT_THAT(rest.future_values, ElementsAre(.5f, .6f));
}

TEST_F(TokenNumbersTest, LeavesFieldsEmptyThatAreNotThere) {
  const TokenNumbers rest = TokenNumbers{.values = values_}.From(1, 2);
  EXPECT_THAT(rest.values, ElementsAre(3, 4, 5, 6));
  EXPECT_THAT(rest.times_ns, IsEmpty());
  EXPECT_THAT(rest.marks, IsEmpty());
}

TEST_F(TokenNumbersTest, HasNothingBehindItsLastToken) { EXPECT_THAT(numbers_.From(3, 2).values, IsEmpty()); }

TEST_F(TokenNumbersTest, OutliveTheirMessageAsACopy) {
  std::vector<uint32_t> marks = {1, 2};
  const OwnedNumbers owned(TokenNumbers{.values = values_, .marks = marks});
  marks = {5, 5};
  EXPECT_THAT(owned.view().marks, ElementsAre(1, 2));
  EXPECT_EQ(owned.bytes(), 6 * sizeof(float) + 2 * sizeof(uint32_t));
}

}  // namespace
}  // namespace aaren::task
