#include "server/identity/accounts/accounts.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

namespace aaren::identity {
namespace {

constexpr TenantLimits kOwn = {.streams = 7}, kOthers = {.weight = 2, .streams = 3};

TEST(AccountsTest, ATenantHasOneAccountHoweverItIsNamed) {
  Accounts accounts;
  EXPECT_EQ(accounts.OfListed("acme"), accounts.OfToken("acme"));
  EXPECT_NE(accounts.OfListed("acme"), accounts.OfToken("other"));
}

TEST(AccountsTest, WhoHasNoLimitsOfItsOwnHasThoseOfAllOthers) {
  Accounts accounts;
  Account& before = *accounts.OfToken("before");
  accounts.SetLimits({{"acme", kOwn}}, kOthers, 0);
  EXPECT_EQ(accounts.OfToken("acme")->streams.limit(), 7u);
  EXPECT_EQ(accounts.OfListed("listed")->streams.limit(), 3u);
  EXPECT_EQ(accounts.OfToken("after")->streams.limit(), 3u);
  EXPECT_EQ(before.streams.limit(), 3u);
  EXPECT_EQ(before.weight(), 2);
}

TEST(AccountsTest, LimitsThatTheListHasNoMoreAreGone) {
  Accounts accounts;
  accounts.SetLimits({{"acme", kOwn}}, kOthers, 0);
  Account& acme = *accounts.OfListed("acme");
  accounts.SetLimits({}, kOthers, 0);
  EXPECT_EQ(acme.streams.limit(), 3u);
  accounts.SetLimits({}, {}, 0);
  EXPECT_EQ(acme.streams.limit(), 0u);
  EXPECT_EQ(acme.weight(), 1);
}

TEST(AccountsTest, TellsOfWhomTokensHaveNamedInTheirOrderAndOfNobodyElse) {
  Accounts accounts;
  accounts.OfListed("list");
  for (const char* tenant : {"b", "a", "b"}) accounts.OfToken(tenant);
  ASSERT_EQ(accounts.of_tokens().size(), 2u);
  EXPECT_EQ(accounts.of_tokens()[0]->tenant(), "b");
  EXPECT_EQ(accounts.of_tokens()[1]->tenant(), "a");
}

TEST(AccountsTest, TooManyThatNoListNamesShareOne) {
  Accounts accounts;
  for (size_t i = 0; i < Accounts::kMaxUnlisted; ++i) {
    ASSERT_EQ(accounts.OfToken(absl::StrCat("t", i))->tenant(), absl::StrCat("t", i));
  }
  Account* shared = accounts.OfToken("one");
  EXPECT_EQ(shared->tenant(), "*");
  EXPECT_EQ(accounts.OfToken("two"), shared);
  EXPECT_EQ(accounts.OfToken("t5")->tenant(), "t5");
  EXPECT_EQ(accounts.OfListed("one")->tenant(), "one");
  EXPECT_EQ(accounts.of_tokens().back(), shared);
}

TEST(AccountsTest, WhoHasLimitsOfItsOwnNeverSharesOne) {
  Accounts accounts;
  for (size_t i = 0; i < Accounts::kMaxUnlisted; ++i) accounts.OfToken(absl::StrCat("t", i));
  accounts.SetLimits({{"acme", kOwn}}, kOthers, 0);
  EXPECT_EQ(accounts.OfToken("acme")->tenant(), "acme");
  EXPECT_EQ(accounts.OfToken("acme")->streams.limit(), 7u);
}

}  // namespace
}  // namespace aaren::identity
