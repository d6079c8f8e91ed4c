#include "server/identity/tokens/verified_tokens.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/server/identity/tokens/token_maker.h"

namespace aaren::identity {
namespace {

absl::Time At(int64_t second) { return absl::FromUnixSeconds(second); }

class VerifiedTokensTest : public testing::Test {
 protected:
  // The claims of a token signed by a key of the set.
  WebToken Says(absl::Time ends) const {
    const std::string signed_by_it = maker_.Sign(R"({"alg":"ES256"})", "{}");
    return {.tenant = "acme",
            .role = Role::kStream,
            .ends = ends,
            .fingerprint = keys_.Verify(signed_by_it).value().fingerprint};
  }

  const TokenMaker maker_ = TokenMaker::Ec();
  const KeySet keys_ = KeySet::Parse(maker_.Jwks()).value();
  VerifiedTokens tokens_;
};

TEST_F(VerifiedTokensTest, RemembersWhatATokenSays) {
  tokens_.Remember("a", Says(At(10)), At(1));
  const auto found = tokens_.Find("a", keys_, At(9));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->tenant, "acme");
  EXPECT_EQ(found->role, Role::kStream);
  EXPECT_FALSE(tokens_.Find("b", keys_, At(9)).has_value());
}

TEST_F(VerifiedTokensTest, ForgetsATokenThatHasEnded) {
  tokens_.Remember("a", Says(At(10)), At(1));
  EXPECT_FALSE(tokens_.Find("a", keys_, At(10)).has_value());
}

TEST_F(VerifiedTokensTest, ForgetsATokenWhoseKeyHasGone) {
  tokens_.Remember("a", Says(At(10)), At(1));
  const KeySet others = KeySet::Parse(TokenMaker::Ec().Jwks()).value();
  EXPECT_FALSE(tokens_.Find("a", others, At(2)).has_value());
}

TEST_F(VerifiedTokensTest, IsBoundedUntilTokensEnd) {
  const WebToken says = Says(At(10));
  for (size_t i = 0; i <= VerifiedTokens::kMost; ++i) tokens_.Remember(absl::StrCat(i), says, At(1));
  EXPECT_EQ(tokens_.size(), VerifiedTokens::kMost);
  EXPECT_FALSE(tokens_.Find(absl::StrCat(VerifiedTokens::kMost), keys_, At(1)).has_value());
  tokens_.Remember("new", Says(At(20)), At(10));
  EXPECT_EQ(tokens_.size(), 1);
  EXPECT_TRUE(tokens_.Find("new", keys_, At(11)).has_value());
}

TEST_F(VerifiedTokensTest, MakesRoomAfterTheClockWasSetBack) {
  const WebToken late = Says(At(5000)), early = Says(At(10));
  tokens_.Remember("late", late, At(4000));
  for (size_t i = 1; i < VerifiedTokens::kMost; ++i) tokens_.Remember(absl::StrCat(i), early, At(4000));
  tokens_.Remember("sweeps", late, At(4000));
  for (size_t i = tokens_.size(); i < VerifiedTokens::kMost; ++i) tokens_.Remember(absl::StrCat(i), early, At(4000));
  tokens_.Remember("new", Says(At(200)), At(100));
  EXPECT_TRUE(tokens_.Find("new", keys_, At(101)).has_value());
}

}  // namespace
}  // namespace aaren::identity
