#include "server/sessions/shard/arrival/token_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/server/sessions/shard/world/fake_engine.h"

namespace aaren::shard {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::string FieldOf(const std::optional<session::Refusal>& refusal) { return refusal ? refusal->field : "none"; }

class TokenCheckTest : public testing::Test {
 protected:
  TokenCheckTest() { session.model = models_->models().front().get(); }

  session::Session session;

 private:
  const std::unique_ptr<models::ModelTable> models_ = FakeModels();
};

TEST_F(TokenCheckTest, FindsAnInfinityAnywhere) {
  for (size_t bad = 0; bad < 40; ++bad) {
    for (const float infinity : {kInfinity, -kInfinity}) {
      std::vector<float> values(40, 1.0f);
      values[bad] = infinity;
      session::TokensView tokens;
      tokens.values = values;
      store::TokenClock clock;
      EXPECT_EQ(FieldOf(CheckContent(tokens, session, 0, clock)), absl::StrCat("tokens.values[", bad, "]"));
    }
  }
}

TEST_F(TokenCheckTest, FindsAnInfinityAmongDoubles) {
  const std::vector<double> values = {1, std::numeric_limits<double>::quiet_NaN(), 1e300, -double{kInfinity}};
  session::TokensView tokens;
  tokens.doubles = values;
  store::TokenClock clock;
  EXPECT_EQ(FieldOf(CheckContent(tokens, session, 0, clock)), "tokens.doubles[3]");
  tokens.doubles = absl::MakeConstSpan(values).first(3);
  EXPECT_EQ(FieldOf(CheckContent(tokens, session, 0, clock)), "none");
}

TEST_F(TokenCheckTest, LetsEveryOtherFloatPass) {
  const std::vector<float> values = {std::numeric_limits<float>::quiet_NaN(),  -std::numeric_limits<float>::quiet_NaN(),
                                     std::numeric_limits<float>::max(),        std::numeric_limits<float>::lowest(),
                                     std::numeric_limits<float>::denorm_min(), -0.0f};
  session::TokensView tokens;
  tokens.values = values;
  store::TokenClock clock;
  EXPECT_EQ(FieldOf(CheckContent(tokens, session, 0, clock)), "none");
}

TEST_F(TokenCheckTest, DoesNotLookAtWhatWasFoldedBefore) {
  const std::vector<float> values = {kInfinity, 1, 2};
  const std::vector<int64_t> times = {5, 4, 6};
  session::TokensView tokens;
  tokens.values = values;
  tokens.times_ns = times;
  store::TokenClock clock{4, 0};
  EXPECT_EQ(FieldOf(CheckContent(tokens, session, 1, clock)), "none");
  EXPECT_EQ(clock.last_time_ns, 6);
  EXPECT_EQ(clock.step_ns, 2);
}

TEST_F(TokenCheckTest, TakesTimesFromOneEndOfTheRangeToTheOther) {
  const std::vector<float> values = {1, 2, 3};
  const std::vector<int64_t> times = {INT64_MIN + 1, 0, INT64_MAX};
  session::TokensView tokens;
  tokens.values = values;
  tokens.times_ns = times;
  store::TokenClock clock;
  EXPECT_EQ(FieldOf(CheckContent(tokens, session, 0, clock)), "none");
  EXPECT_EQ(clock.step_ns, INT64_MAX);
}

}  // namespace
}  // namespace aaren::shard
