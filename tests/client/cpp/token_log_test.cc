#include "client/cpp/session/token_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace aaren::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsNan;

void Append(TokenLog& log, std::vector<float> values, std::vector<int64_t> times = {}, bool silent = false) {
  const TokenBatch batch{.values = values, .times_ns = times, .silent = silent};
  const auto tokens = log.Check(batch);
  ASSERT_TRUE(tokens.ok()) << tokens.status();
  log.Append(batch, *tokens);
}

TEST(TokenLogTest, CopiesARangeOfTokens) {
  TokenLog log;
  log.Reset(10, 2);
  Append(log, {1, 2, 3, 4, 5, 6}, {100, 200, 300});
  v1::Tokens tokens;
  EXPECT_EQ(log.CopyTo(11, 5, tokens), 2u);
  EXPECT_EQ(tokens.first_seq(), 11u);
  EXPECT_THAT(tokens.values(), ElementsAre(3, 4, 5, 6));
  EXPECT_THAT(tokens.times_ns(), ElementsAre(200, 300));
}

TEST(TokenLogTest, DoublesTravelAsDoubles) {
  TokenLog log;
  log.Reset(0, 2);
  const double values[] = {0.1, 123456789, 1e12 + 0.5, 3};
  const TokenBatch batch{.doubles = values};
  ASSERT_EQ(*log.Check(batch), 2u);
  log.Append(batch, 2);
  v1::Tokens tokens;
  EXPECT_EQ(log.CopyTo(1, 5, tokens), 1u);
  EXPECT_THAT(tokens.doubles(), ElementsAre(1e12 + 0.5, 3));
  EXPECT_EQ(tokens.values_size(), 0);
}

TEST(TokenLogTest, RefusesDoublesBesideValuesAndDoublesBeyondAFloat) {
  TokenLog log;
  log.Reset(0, 1);
  const float values[] = {1};
  const double doubles[] = {1}, large[] = {1e39};
  EXPECT_FALSE(log.Check({.values = values, .doubles = doubles}).ok());
  EXPECT_THAT(std::string(log.Check({.doubles = large}).status().message()), HasSubstr("token 0, channel 0"));
}

TEST(TokenLogTest, CovariatesStayWithTheirTokens) {
  TokenLog log;
  log.Reset(0, 1, {.now = 2, .future = 3});
  const float values[] = {1, 2}, covariates[] = {10, 11, 20, 21}, future[] = {5, 6, 7, 8, 9, std::nanf("")};
  const TokenBatch batch{.values = values, .future_values = future, .covariates = covariates};
  ASSERT_EQ(*log.Check(batch), 2u);
  log.Append(batch, 2);
  v1::Tokens tokens;
  EXPECT_EQ(log.CopyTo(1, 5, tokens), 1u);
  EXPECT_THAT(tokens.covariates(), ElementsAre(20, 21));
  EXPECT_THAT(tokens.future_values(), ElementsAre(8, 9, IsNan()));
  EXPECT_EQ(log.token_bytes(), 6 * sizeof(float));
}

TEST(TokenLogTest, RefusesCovariatesThatDisagreeWithTheDeclaredNumber) {
  TokenLog log;
  log.Reset(0, 1, {.now = 2, .future = 3});
  const float values[] = {1, 2}, two[] = {1, 2}, four[] = {1, 2, 3, 4};
  EXPECT_THAT(std::string(log.Check({.values = values}).status().message()),
              HasSubstr("has 0 covariates; 2 x 2 expected"));
  EXPECT_THAT(std::string(log.Check({.values = values, .covariates = two}).status().message()),
              HasSubstr("has 2 covariates; 2 x 2 expected"));
  EXPECT_THAT(std::string(log.Check({.values = values, .future_values = four, .covariates = four}).status().message()),
              HasSubstr("has 4 future values; 2 x 3 expected"));
  EXPECT_TRUE(log.Check({.values = values, .covariates = four}).ok());
}

TEST(TokenLogTest, RefusesAnInfiniteCovariateByNamingIt) {
  TokenLog log;
  log.Reset(7, 1);
  const float values[] = {1, 2}, covariates[] = {1, 2, 3, std::numeric_limits<float>::infinity()};
  EXPECT_THAT(std::string(log.Check({.values = values, .covariates = covariates}).status().message()),
              HasSubstr("token 8, covariate 1"));
  EXPECT_THAT(std::string(log.Check({.values = values, .future_values = covariates}).status().message()),
              HasSubstr("a future value is infinite"));
}

TEST(TokenLogTest, ACopyEndsWhereSilenceBeginsOrEnds) {
  TokenLog log;
  log.Reset(0, 1);
  Append(log, {1, 2}, {}, /*silent=*/true);
  Append(log, {3});
  v1::Tokens silent;
  v1::Tokens loud;
  EXPECT_EQ(log.CopyTo(0, 9, silent), 2u);
  EXPECT_TRUE(silent.silent());
  EXPECT_EQ(log.CopyTo(2, 9, loud), 1u);
  EXPECT_FALSE(loud.silent());
}

TEST(TokenLogTest, KeepsItsOrderWhileOldTokensAreDropped) {
  TokenLog log;
  log.Reset(0, 1);
  for (int i = 0; i < 10000; ++i) {
    Append(log, {static_cast<float>(i)});
    log.DropBelow(static_cast<uint64_t>(std::max(0, i - 10)));
  }
  v1::Tokens tokens;
  EXPECT_EQ(log.begin(), 9989u);
  EXPECT_EQ(log.CopyTo(9995, 2, tokens), 2u);
  EXPECT_THAT(tokens.values(), ElementsAre(9995, 9996));
}

TEST(TokenLogTest, FindsTheFirstTokenThatAsksForAForecast) {
  TokenLog log;
  log.Reset(0, 1);
  Append(log, {0, 1, 2, 3}, {}, /*silent=*/true);
  Append(log, {4, 5, 6, 7});
  EXPECT_EQ(log.FirstAsking(0, 8, 1), 4u);
  EXPECT_EQ(log.FirstAsking(0, 8, 3), 6u);
  EXPECT_EQ(log.FirstAsking(7, 8, 4), 8u);
}

absl::Status CheckOf(const TokenLog& log, std::vector<float> values, std::vector<int64_t> times = {}) {
  return log.Check({.values = values, .times_ns = times}).status();
}

TEST(TokenLogTest, RefusesInfinityByNamingTheToken) {
  TokenLog log;
  log.Reset(7, 2);
  const absl::Status status = CheckOf(log, {1, 2, 3, std::numeric_limits<float>::infinity()});
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("token 8, channel 1"));
}

TEST(TokenLogTest, RefusesTimesThatGoBackEvenBetweenBatches) {
  TokenLog log;
  log.Reset(0, 1);
  Append(log, {1}, {500});
  EXPECT_THAT(CheckOf(log, {2}, {499}).message(),
              HasSubstr("token 1: its time 499 ns goes back; the one before is at 500"));
  EXPECT_TRUE(CheckOf(log, {2}, {500}).ok());
}

TEST(TokenLogTest, RefusesAWidthThatDisagrees) {
  TokenLog log;
  log.Reset(0, 3);
  EXPECT_THAT(CheckOf(log, {1, 2, 3, 4}).message(), HasSubstr("has 4 values; 1 x 3 expected"));
  EXPECT_THAT(CheckOf(log, {1, 2}).message(), HasSubstr("no whole token: 2 values of 3 channels"));
  Append(log, {1, 2, 3}, {1});
  EXPECT_THAT(CheckOf(log, {1, 2, 3}).message(), HasSubstr("has 0 times; 1 x 1 expected"));
}

}  // namespace
}  // namespace aaren::client
