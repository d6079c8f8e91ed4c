#include "server/identity/tokens/web_token.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/server/identity/tokens/token_maker.h"

namespace aaren::identity {
namespace {

constexpr absl::string_view kValid =
    R"({"iss":"https://id.example","aud":"aaren","exp":2000,"tenant":"acme","role":"stream"})";

class WebTokenTest : public testing::Test {
 protected:
  // At a second since 1970.
  absl::StatusOr<WebToken> Verify(absl::string_view payload, int64_t now = 1000) const {
    return WebToken::Verify(maker_.Sign(R"({"alg":"ES256"})", payload), keys_, rules_, absl::FromUnixSeconds(now));
  }
  std::string WhyNot(absl::string_view payload, int64_t now = 1000) const {
    const auto token = Verify(payload, now);
    return token.ok() ? "it was taken" : std::string(token.status().message());
  }
  static std::string With(absl::string_view claim, absl::string_view other) {
    return absl::StrReplaceAll(kValid, {{claim, other}});
  }
  // With a further claim.
  static std::string And(absl::string_view claim) { return With("{", absl::StrCat("{", claim, ",")); }

  const TokenMaker maker_ = TokenMaker::Ec();
  const KeySet keys_ = KeySet::Parse(maker_.Jwks()).value();
  WebTokenRules rules_ = {.issuer = "https://id.example", .audience = "aaren"};
};

TEST_F(WebTokenTest, SaysWhoCallsAndUntilWhen) {
  const auto token = Verify(kValid);
  ASSERT_TRUE(token.ok()) << token.status();
  EXPECT_EQ(token->tenant, "acme");
  EXPECT_EQ(token->role, Role::kStream);
  EXPECT_EQ(token->ends, absl::FromUnixSeconds(2030));
  EXPECT_TRUE(keys_.Has(token->fingerprint));
}

TEST_F(WebTokenTest, ClaimsMayHaveOtherNames) {
  rules_.tenant_claim = "https://id.example/org";
  rules_.role_claim = "scope";
  const auto token = Verify(With("tenant", "https://id.example/org").replace(0, 1, R"({"scope":"admin",)"));
  ASSERT_TRUE(token.ok()) << token.status();
  EXPECT_EQ(token->tenant, "acme");
  EXPECT_EQ(token->role, Role::kAdmin);
}

TEST_F(WebTokenTest, ClaimsMayStandWithinOthers) {
  rules_.tenant_claim = "org.unit.name";
  rules_.role_claim = "realm_access.roles";
  const auto token = Verify(With(R"("tenant":"acme","role":"stream")",
                                 R"("org":{"unit":{"name":"acme"}},"realm_access":{"roles":["stream"]})"));
  ASSERT_TRUE(token.ok()) << token.status();
  EXPECT_EQ(token->tenant, "acme");
  EXPECT_EQ(token->role, Role::kStream);
}

TEST_F(WebTokenTest, ClaimWhoseOwnNameHasDotsIsNotLookedForWithinOthers) {
  rules_.role_claim = "a.role";
  EXPECT_EQ(Verify(With(R"("role":"stream")", R"("a":{"role":"admin"},"a.role":"read")"))->role, Role::kRead);
}

TEST_F(WebTokenTest, ClaimWithinWhatIsNoObjectIsMissing) {
  rules_.tenant_claim = "org.name";
  for (const char* org : {R"("org":"acme")", R"("org":["acme"])", R"("org":null)", R"("org":{"nam":"acme"})"}) {
    EXPECT_EQ(WhyNot(With(R"("tenant":"acme")", org)), "its claim org.name is no tenant") << org;
  }
}

TEST_F(WebTokenTest, HighestOfItsRolesCounts) {
  const auto role = [this](const char* roles) { return Verify(With(R"("stream")", roles))->role; };
  EXPECT_EQ(role(R"(["read","admin","stream"])"), Role::kAdmin);
  EXPECT_EQ(role(R"(["offline_access","read"])"), Role::kRead);
  EXPECT_EQ(role(R"(["read",null,7,["admin"],{"admin":1}])"), Role::kRead);
  EXPECT_EQ(role(R"("openid stream read")"), Role::kStream);
}

TEST_F(WebTokenTest, OfAnotherKeyIsRefused) {
  const std::string token = TokenMaker::Ec().Sign(R"({"alg":"ES256"})", kValid);
  EXPECT_FALSE(WebToken::Verify(token, keys_, rules_, absl::FromUnixSeconds(1000)).ok());
}

TEST_F(WebTokenTest, EndsAtItsExpiryAndTheSkew) {
  EXPECT_TRUE(Verify(kValid, 2029).ok());
  EXPECT_EQ(WhyNot(kValid, 2030), "it has expired");
}

TEST_F(WebTokenTest, ExpiryIsRequiredAndATime) {
  for (const char* other : {R"("ex":2000)", R"("exp":"2000")", R"("exp":-1)", R"("exp":1e300)", R"("exp":null)"}) {
    EXPECT_EQ(WhyNot(With(R"("exp":2000)", other)), "it does not say when it expires") << other;
  }
}

TEST_F(WebTokenTest, NotYetValidIsRefused) {
  EXPECT_EQ(WhyNot(And(R"("nbf":1031)")), "its nbf is to come");
  EXPECT_EQ(WhyNot(And(R"("iat":1031)")), "its iat is to come");
  EXPECT_TRUE(Verify(And(R"("nbf":1030,"iat":1029.5)")).ok());
  EXPECT_EQ(WhyNot(And(R"("nbf":"1000")")), "its nbf is no time");
}

TEST_F(WebTokenTest, OfAnotherIssuerIsRefused) {
  EXPECT_EQ(WhyNot(With("https://id.example", "https://id.example/")), "it is of another issuer");
  EXPECT_EQ(WhyNot(With(R"("iss")", R"("isr")")), "it is of another issuer");
}

TEST_F(WebTokenTest, AudienceIsATextOrAList) {
  EXPECT_TRUE(Verify(With(R"("aaren")", R"(["other","aaren"])")).ok());
  for (const char* other : {R"("aarens")", R"(["other"])", "[]", "1", R"({"aaren":"aaren"})"}) {
    EXPECT_EQ(WhyNot(With(R"("aaren")", other)), "it is for another audience") << other;
  }
  EXPECT_EQ(WhyNot(With(R"("aud")", R"("au")")), "it is for another audience");
}

TEST_F(WebTokenTest, TenantIsOneThatAListOfCallersCouldName) {
  for (const char* other : {R"("a/b")", R"("")", R"("a b")", R"("a\n")", "1", R"(["acme"])"}) {
    EXPECT_EQ(WhyNot(With(R"("acme")", other)), "its claim tenant is no tenant") << other;
  }
  EXPECT_EQ(WhyNot(With("acme", std::string(129, 'a'))), "its claim tenant is no tenant");
}

TEST_F(WebTokenTest, UnknownRoleIsRefused) {
  for (const char* other :
       {R"("root")", R"("Admin")", R"("")", "2", "[]", R"(["root"])", R"([["admin"]])", R"({"admin":1})"}) {
    EXPECT_EQ(WhyNot(With(R"("stream")", other)), "its claim role is no role") << other;
  }
}

TEST_F(WebTokenTest, PayloadThatIsNoObjectIsRefused) {
  for (const std::string& payload : {std::string(), std::string("1"), std::string("[]"), std::string(5000, '[')}) {
    EXPECT_FALSE(Verify(payload).ok());
  }
}

}  // namespace
}  // namespace aaren::identity
