#include "server/identity/roster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace aaren::identity {
namespace {

using ::testing::HasSubstr;

// The sha256sum of "test".
constexpr char kTestHash[] = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

Roster Parsed(const std::string& text) {
  absl::StatusOr<Roster> roster = Roster::Parse(text);
  EXPECT_TRUE(roster.ok()) << roster.status();
  return roster.ok() ? *std::move(roster) : Roster();
}

std::string WhyNoRoster(const std::string& text) { return std::string(Roster::Parse(text).status().message()); }

TEST(RosterTest, FindsWhoseTokenItIs) {
  const Roster roster = Parsed(std::string("acme stream sha256:") + kTestHash);
  ASSERT_TRUE(roster.FindToken("test").has_value());
  EXPECT_EQ(roster.FindToken("test")->tenant, "acme");
  EXPECT_EQ(roster.FindToken("test")->role, Role::kStream);
}

TEST(RosterTest, KnowsNoOtherTokenAndNotTheHashItself) {
  const Roster roster = Parsed(std::string("acme stream sha256:") + kTestHash);
  for (const char* token : {"", "Test", "test ", kTestHash}) EXPECT_FALSE(roster.FindToken(token).has_value()) << token;
}

TEST(RosterTest, FindsWhoseCertificateItIsToTheLetter) {
  const Roster roster = Parsed("acme admin name:ops.acme.example");
  ASSERT_TRUE(roster.FindName("ops.acme.example").has_value());
  EXPECT_EQ(roster.FindName("ops.acme.example")->role, Role::kAdmin);
  EXPECT_FALSE(roster.FindName("acme.example").has_value());
  EXPECT_FALSE(roster.FindName("x.ops.acme.example").has_value());
}

TEST(RosterTest, ATokenIsNoName) {
  const Roster roster = Parsed(std::string("acme admin name:sha256:") + kTestHash);
  EXPECT_FALSE(roster.FindToken("test").has_value());
}

TEST(RosterTest, SkipsCommentsEmptyLinesAndReturns) {
  EXPECT_EQ(Parsed("# who\r\n\r\n  a\tread   name:x\r\nb read name:y").size(), 2u);
}

TEST(RosterTest, AHashMayHaveCapitals) {
  EXPECT_TRUE(Parsed("a read sha256:9F86D081884C7D659A2FEAA0C55AD015A3BF4F1B2B0B822CD15D6C15B0F00A08")
                  .FindToken("test")
                  .has_value());
}

TEST(RosterTest, NamesTheLineThatIsWrong) {
  EXPECT_THAT(WhyNoRoster("a read name:x\nb write name:y"), HasSubstr("line 2: 'write' is no role"));
  EXPECT_THAT(WhyNoRoster("a read"), HasSubstr("line 1: a line has a tenant"));
  EXPECT_THAT(WhyNoRoster("a read sha256:9f86"), HasSubstr("64 hexadecimal digits"));
  EXPECT_THAT(WhyNoRoster("a read name:"), HasSubstr("known by"));
  EXPECT_THAT(WhyNoRoster("a/b read name:x"), HasSubstr("no '/'"));
  EXPECT_THAT(WhyNoRoster("* read name:x"), HasSubstr("'*' is all others"));
  EXPECT_THAT(WhyNoRoster(std::string(129, 'a') + " read name:x"), HasSubstr("128 bytes"));
}

TEST(RosterTest, ATenantMayHaveLimits) {
  const Roster roster = Parsed(
      "acme limits weight=4 sessions=10 tokens_per_second=500 stored_bytes=9000000000\nacme read name:x\nb read "
      "name:y");
  const Roster::Tenant& acme = roster.tenants().at("acme");
  EXPECT_EQ(acme.callers, 1u);
  EXPECT_EQ(acme.limits.weight, 4u);
  EXPECT_EQ(acme.limits.sessions, 10u);
  EXPECT_EQ(acme.limits.tokens_per_second, 500u);
  EXPECT_EQ(acme.limits.stored_bytes, 9'000'000'000u);
  EXPECT_EQ(acme.limits.streams, 0u);
  EXPECT_EQ(roster.tenants().at("b").limits.weight, 1u);
}

TEST(RosterTest, AStarIsAllTenantsWithoutLimitsOfTheirOwn) {
  const Roster roster = Parsed("* limits streams=4 weight=2\na read name:x");
  EXPECT_EQ(roster.others().streams, 4u);
  EXPECT_EQ(roster.others().weight, 2u);
  EXPECT_EQ(roster.tenants().size(), 1u);
  EXPECT_EQ(Parsed("a read name:x").others().streams, 0u);
  EXPECT_THAT(WhyNoRoster("* limits streams=4\n* limits weight=2"),
              HasSubstr("line 2: tenant '*' has a line of limits"));
}

TEST(RosterTest, NamesTheLimitThatIsWrong) {
  EXPECT_THAT(WhyNoRoster("a read name:x\na limits sesions=1"),
              HasSubstr("line 2: 'sesions' is no limit; there are weight"));
  EXPECT_THAT(WhyNoRoster("a limits streams=many"), HasSubstr("line 1: streams is a number from 1 to"));
  EXPECT_THAT(WhyNoRoster("a limits weight=1001"), HasSubstr("weight is a number from 1 to 1000"));
  EXPECT_THAT(WhyNoRoster("a limits sessions=0"), HasSubstr("from 1 to"));
  EXPECT_THAT(WhyNoRoster("a limits"), HasSubstr("line 1: a line has"));
  EXPECT_THAT(WhyNoRoster("a limits weight=1\na limits streams=1"),
              HasSubstr("line 2: tenant 'a' has a line of limits"));
}

TEST(RosterTest, RefusesSomebodyWhoIsThereTwice) {
  EXPECT_THAT(WhyNoRoster("a read name:x\nb admin name:x"), HasSubstr("line 2: somebody known by the same"));
}

}  // namespace
}  // namespace aaren::identity
