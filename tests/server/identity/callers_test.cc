#include "server/identity/callers.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "tests/server/identity/tokens/token_maker.h"

namespace aaren::identity {
namespace {

constexpr int64_t kSecond = 1'000'000'000, kNow = 5 * kSecond;

class CallersTest : public testing::Test {
 protected:
  ~CallersTest() override { unlink(path_.c_str()); }

  std::string TokenOf(absl::string_view tenant, const TokenMaker& maker) const {
    return maker.Sign(
        R"({"alg":"ES256"})",
        absl::StrCat(R"({"iss":"us","aud":"aaren","exp":2000,"role":"read","tenant":")", tenant, R"("})"));
  }
  std::string TokenOf(absl::string_view tenant) const { return TokenOf(tenant, maker_); }

  const std::string path_ = absl::StrCat(testing::TempDir(), "/callers_keys_", getpid());
  const absl::Time wall_ = absl::FromUnixSeconds(1000);
  const TokenMaker maker_ = TokenMaker::Ec();
  const std::unique_ptr<const Callers> callers_ = [this] {
    std::ofstream(path_) << maker_.Jwks();
    return std::make_unique<const Callers>(nullptr, KeySetFile::Open(path_).value(),
                                           WebTokenRules{.issuer = "us", .audience = "aaren"});
  }();
};

TEST_F(CallersTest, ATokenThatNamesAKeyIsWorthALook) {
  EXPECT_TRUE(callers_->IsWorthALook(TokenOf("acme"), kNow, wall_));
  for (const char* other : {"banana", "a.b.c", ""}) EXPECT_FALSE(callers_->IsWorthALook(other, kNow, wall_)) << other;
}

TEST_F(CallersTest, ATenantThatOnlyTokensNameHasAnAccount) {
  Account* account = callers_->FindToken(TokenOf("acme"), kNow, wall_)->account;
  ASSERT_NE(account, nullptr);
  EXPECT_EQ(account->tenant(), "acme");
  EXPECT_EQ(callers_->FindToken(TokenOf("acme"), kNow, wall_)->account, account);
  EXPECT_EQ(callers_->token_accounts().size(), 1u);
}

TEST_F(CallersTest, LimitsThatTheListGivesLaterHoldForTheAccountThatATokenHas) {
  const std::string list = absl::StrCat(path_, "_list");
  std::ofstream(list) << "# nobody\n";
  const auto longer_ago = [&list] {
    std::filesystem::last_write_time(list, std::filesystem::file_time_type::clock::now() - std::chrono::minutes(1));
  };
  longer_ago();
  const Callers callers(RosterFile::Open(list).value(), KeySetFile::Open(path_).value(),
                        {.issuer = "us", .audience = "aaren"});
  const Account& acme = *callers.FindToken(TokenOf("acme"), kNow, wall_)->account;
  EXPECT_EQ(acme.streams.limit(), 0u);
  std::ofstream(list) << "* limits streams=3\n";
  longer_ago();
  (void)callers.Get(kNow + 2 * kSecond);
  EXPECT_EQ(acme.streams.limit(), 3u);
  std::ofstream(list) << "* limits streams=3\nacme limits streams=9\n";
  longer_ago();
  (void)callers.Get(kNow + 4 * kSecond);
  EXPECT_EQ(acme.streams.limit(), 9u);
  EXPECT_EQ(callers.listed_accounts(), std::vector<const Account*>{&acme});
  unlink(list.c_str());
}

TEST_F(CallersTest, UnknownTokensAreLookedAtUntilThatHasCostTooMuch) {
  const std::string known = TokenOf("acme"), bad = TokenOf("acme", TokenMaker::Ec());
  ASSERT_TRUE(callers_->FindToken(known, kNow, wall_).ok());
  int looks = 0;
  for (; callers_->IsWorthALook(bad, kNow, wall_) && looks < 100'000; ++looks) {
    ASSERT_FALSE(callers_->FindToken(bad, kNow, wall_).ok());
  }
  EXPECT_GT(looks, 10);
  EXPECT_LT(looks, 100'000);
  EXPECT_FALSE(callers_->IsWorthALook(TokenOf("another"), kNow, wall_));
  EXPECT_TRUE(callers_->IsWorthALook(known, kNow, wall_));
  EXPECT_TRUE(callers_->IsWorthALook(TokenOf("another"), kNow + kSecond, wall_));
}

}  // namespace
}  // namespace aaren::identity
