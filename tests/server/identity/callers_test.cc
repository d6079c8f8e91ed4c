#include "server/identity/callers.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "absl/strings/str_cat.h"
#include "tests/server/identity/tokens/token_maker.h"

namespace aaren::identity {
namespace {

constexpr int64_t kSecondNs = 1'000'000'000, kNow = 5 * kSecondNs;

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
  Callers callers(RosterFile::Open(list).value(), KeySetFile::Open(path_).value(),
                  {.issuer = "us", .audience = "aaren"});
  const Account& acme = *callers.FindToken(TokenOf("acme"), kNow, wall_)->account;
  EXPECT_EQ(acme.streams.limit(), 0u);
  std::ofstream(list) << "* limits streams=3\n";
  longer_ago();
  callers.Look(kNow + 2 * kSecondNs);
  EXPECT_EQ(acme.streams.limit(), 3u);
  std::ofstream(list) << "* limits streams=3\nacme limits streams=9\n";
  longer_ago();
  callers.Look(kNow + 4 * kSecondNs);
  EXPECT_EQ(acme.streams.limit(), 9u);
  EXPECT_EQ(callers.listed_accounts(), std::vector<const Account*>{&acme});
  unlink(list.c_str());
}

TEST_F(CallersTest, SignaturesAreCheckedUntilThatHasCostTooMuch) {
  const std::string known = TokenOf("acme"), bad = TokenOf("acme", TokenMaker::Ec());
  ASSERT_TRUE(callers_->FindToken(known, kNow, wall_).ok());
  const auto code = [&](const std::string& token, int64_t now_ns) {
    return callers_->FindToken(token, now_ns, wall_).status().code();
  };
  int looks = 0;
  for (; code(bad, kNow) == absl::StatusCode::kUnauthenticated && looks < 100'000; ++looks) {
  }
  EXPECT_GT(looks, 10);
  EXPECT_LT(looks, 100'000);
  EXPECT_EQ(code(TokenOf("another"), kNow), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(code(known, kNow), absl::StatusCode::kOk);
  EXPECT_EQ(code(TokenOf("another"), kNow + kSecondNs), absl::StatusCode::kOk);
}

TEST_F(CallersTest, TokensOfTheListAreFoundHoweverManySignaturesWereCheckedInVain) {
  const std::string list = absl::StrCat(path_, "_list");
  // By sha256sum: "stream-token".
  std::ofstream(list) << "acme stream sha256:8929ba67483f306170512dee064c1a5d009b1fca7daafb86e902b82b0a2e7c7b\n";
  const Callers callers(RosterFile::Open(list).value(), KeySetFile::Open(path_).value(),
                        {.issuer = "us", .audience = "aaren"});
  const std::string bad = TokenOf("acme", TokenMaker::Ec());
  while (!absl::IsResourceExhausted(callers.FindToken(bad, kNow, wall_).status())) {
  }
  EXPECT_TRUE(callers.FindToken("stream-token", kNow, wall_).ok());
  unlink(list.c_str());
}

TEST_F(CallersTest, FilesAreWatchedOnAThreadOfItsOwn) {
  Callers callers(nullptr, KeySetFile::Open(path_).value(), {.issuer = "us", .audience = "aaren"});
  callers.Watch([] { return kNow; });
  const TokenMaker other = TokenMaker::Ec();
  std::ofstream(path_) << other.Jwks();
  const std::string token = TokenOf("acme", other);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!callers.Get().keys->Verify(token).ok() && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_TRUE(callers.FindToken(token, kNow, wall_).ok());
}

}  // namespace
}  // namespace aaren::identity
