#include "server/identity/tokens/key_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/server/identity/tokens/token_maker.h"

namespace aaren::identity {
namespace {

using ::testing::HasSubstr;

constexpr absl::string_view kRs256 = R"({"alg":"RS256","kid":"a"})", kEs256 = R"({"alg":"ES256","kid":"a"})";

// A maker for all tests: making a key takes a while.
const TokenMaker& Rsa() {
  static const auto& maker = *new TokenMaker(TokenMaker::Rsa());
  return maker;
}

KeySet Keys(const TokenMaker& maker, absl::string_view members = R"("kid":"a")") {
  return KeySet::Parse(maker.Jwks(members)).value();
}

std::string WhyNot(absl::string_view set) { return std::string(KeySet::Parse(set).status().message()); }
std::string WhyNot(const KeySet& keys, absl::string_view token) {
  const auto read = keys.Verify(token);
  return read.ok() ? "it was taken" : std::string(read.status().message());
}

TEST(KeySetTest, KnowsWhatAKeyOfItHasSigned) {
  EXPECT_EQ(Keys(Rsa()).Verify(Rsa().Sign(kRs256, "{1}")).value().payload, "{1}");
  EXPECT_EQ(Keys(Rsa()).Verify(Rsa().Sign(R"({"alg":"PS256","kid":"a"})", "2", true)).value().payload, "2");
  const TokenMaker ec = TokenMaker::Ec();
  EXPECT_EQ(Keys(ec).Verify(ec.Sign(kEs256, "3")).value().payload, "3");
}

// RFC 7515, appendix A.3.
TEST(KeySetTest, KnowsTheTokenOfTheSpecification) {
  const auto keys = KeySet::Parse(
      R"({"keys":[{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]})");
  ASSERT_TRUE(keys.ok()) << keys.status();
  const auto read = keys->Verify(
      "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cn"
      "VlfQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_THAT(read->payload, HasSubstr(R"("iss":"joe")"));
}

TEST(KeySetTest, TextThatGoesOnBehindANulByteIsNone) {
  std::string set = Rsa().Jwks();
  ASSERT_TRUE(KeySet::Parse(set).ok());
  set.push_back('\0');
  EXPECT_THAT(WhyNot(set), HasSubstr("no JWKS"));
}

TEST(KeySetTest, MoreKeysThanAProviderHasAreRefused) {
  std::string keys = R"({"kty":"none"})";
  for (int i = 1; i < 1'000; ++i) absl::StrAppend(&keys, R"(,{"kty":"none"})");
  EXPECT_TRUE(KeySet::Parse(absl::StrCat(R"({"keys":[)", keys, "]}")).ok());
  EXPECT_EQ(WhyNot(absl::StrCat(R"({"keys":[)", keys, ",{}]}")), "1001 keys, the limit is 1000");
}

// cjose asserts that padding stands at the end of a base64 text of this length.
TEST(KeySetTest, AKeyWhoseNumbersHaveOtherBytesThanBase64UrlIsNone) {
  for (const char* x : {"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRV=U", "=", "f83O/3D2", "f83O J3D2", "A"}) {
    EXPECT_THAT(WhyNot(absl::StrCat(R"({"keys":[{"kty":"EC","crv":"P-256","x":")", x, R"(","y":"AAAA"}]})")),
                HasSubstr("key 1: its numbers are no public key"));
  }
}

// RFC 7638, section 3.1.
TEST(KeySetTest, HasAKeyByItsFingerprint) {
  const auto keys = KeySet::Parse(
      R"({"keys":[{"kty":"RSA","n":"0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw","e":"AQAB","alg":"RS256","kid":"2011-04-29"}]})");
  ASSERT_TRUE(keys.ok()) << keys.status();
  EXPECT_TRUE(keys->Has("NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs"));
  EXPECT_FALSE(keys->Has("another"));
}

TEST(KeySetTest, AlteredPayloadIsRefused) {
  std::string token = Rsa().Sign(kRs256, R"({"role":"read"})");
  const std::string other = SigningInput(kRs256, R"({"role":"admi"})");
  token.replace(0, other.size(), other);
  EXPECT_EQ(WhyNot(Keys(Rsa()), token), "its signature is not its key's");
}

TEST(KeySetTest, TokenWithoutASignatureIsRefused) {
  const std::string none = SigningInput(R"({"alg":"none"})", "{}");
  for (const char* end : {"", ".", ".AAAA"}) EXPECT_NE(WhyNot(Keys(Rsa()), absl::StrCat(none, end)), "it was taken");
}

// Everybody with the public key could sign so.
TEST(KeySetTest, PublicKeyIsNoSecret) {
  for (const std::string& secret : {Rsa().Pem(), Rsa().Jwk(), Rsa().Jwk(R"("kid":"a")")}) {
    EXPECT_EQ(WhyNot(Keys(Rsa()), SignBySecret(R"({"alg":"HS256","kid":"a"})", "{}", secret)),
              "its algorithm is not one of its key");
  }
}

TEST(KeySetTest, AlgorithmOfAnotherKindOfKeyIsRefused) {
  const TokenMaker wide = TokenMaker::Ec("P-384");
  EXPECT_EQ(WhyNot(Keys(wide), wide.Sign(kEs256, "{}")), "its algorithm is not one of its key");
  EXPECT_EQ(WhyNot(Keys(Rsa()), Rsa().Sign(kEs256, "{}")), "its algorithm is not one of its key");
  const KeySet for_one = Keys(Rsa(), R"("kid":"a","alg":"RS512")");
  EXPECT_EQ(WhyNot(for_one, Rsa().Sign(kRs256, "{}")), "its algorithm is not one of its key");
}

TEST(KeySetTest, UnknownKidIsRefused) {
  EXPECT_EQ(WhyNot(Keys(Rsa()), Rsa().Sign(R"({"alg":"RS256","kid":"b"})", "{}")), "its key is not in the set");
}

TEST(KeySetTest, TokenWithoutKidIsOfTheOnlyKey) {
  const std::string token = Rsa().Sign(R"({"alg":"RS256"})", "{}");
  EXPECT_EQ(WhyNot(Keys(Rsa()), token), "it was taken");
  const std::string two = absl::StrCat(R"({"keys":[)", Rsa().Jwk(R"("kid":"a")"), ",", TokenMaker::Ec().Jwk(), "]}");
  EXPECT_EQ(WhyNot(KeySet::Parse(two).value(), token), "it does not say which of several keys has signed it");
}

TEST(KeySetTest, ExtensionsThatMustBeUnderstoodAreRefused) {
  const std::string token = Rsa().Sign(R"({"alg":"RS256","kid":"a","crit":["b64"],"b64":false})", "{}");
  EXPECT_EQ(WhyNot(Keys(Rsa()), token), "its header has extensions that must be understood");
}

TEST(KeySetTest, HugeTokenIsNotLookedAt) {
  EXPECT_EQ(WhyNot(Keys(Rsa()), Rsa().Sign(kRs256, std::string(8192, '1'))), "it is too long");
}

TEST(KeySetTest, WhatIsNoTokenIsRefused) {
  for (const char* text : {"", ".", "..", "...", "a", "e30.e30.e30", "e30.e30.e30=", "e30 .e30.e30", "W10.e30.AA"}) {
    EXPECT_NE(WhyNot(Keys(Rsa()), text), "it was taken") << text;
  }
  EXPECT_NE(WhyNot(Keys(Rsa()), absl::StrCat(Base64Url(std::string(5000, '[')), ".e30.AA")), "it was taken");
}

TEST(KeySetTest, KeysThatCannotSignTokensArePassedOver) {
  const std::string okp = R"({"kty":"OKP","crv":"Ed25519","x":"AA"})";
  const std::string set = absl::StrCat(R"({"keys":[)", okp, ",", Rsa().Jwk(R"("use":"enc")"), ",", Rsa().Jwk(), "]}");
  EXPECT_EQ(KeySet::Parse(set).value().size(), 1);
}

// With an exponent of 1 everybody who knows the padding has a signature.
TEST(KeySetTest, WeakNumbersOfAnRsaKeyAreRefused) {
  const std::string set = Rsa().Jwks();
  ASSERT_THAT(set, HasSubstr(R"("e":"AQAB")"));
  for (const char* exponent : {"AQ", "AAAB", "AA", "Ag", "AQAA"}) {
    const std::string other = absl::StrReplaceAll(set, {{"AQAB", exponent}});
    EXPECT_THAT(WhyNot(other), HasSubstr("key 1: an RSA key has an odd exponent")) << exponent;
  }
  EXPECT_EQ(WhyNot(absl::StrReplaceAll(set, {{"AQAB", "Aw"}})), "");
  const std::string even = absl::StrCat(R"({"keys":[{"kty":"RSA","e":"AQAB","n":")",
                                        Base64Url(std::string(255, '\xff') + '\xfe'), R"("}]})");
  EXPECT_THAT(WhyNot(even), HasSubstr("an odd modulus"));
}

TEST(KeySetTest, PrivateKeyIsRefused) {
  for (const char* secret : {R"("d":"AQAB")", R"("d":null)", R"("use":"enc","d":"AQAB")"}) {
    EXPECT_THAT(WhyNot(Rsa().Jwks(secret)), HasSubstr("key 1: a secret key")) << secret;
  }
}

TEST(KeySetTest, TellsWhatIsWrongWithASet) {
  for (const char* text : {"", "[]", "{}", R"({"keys":{}})", R"({"keys":[)"})
    EXPECT_THAT(WhyNot(text), HasSubstr("no JWKS"));
  EXPECT_THAT(WhyNot(std::string(100'000, '[')), HasSubstr("no JWKS"));
  EXPECT_EQ(WhyNot(R"({"keys":[1]})"), "key 1: no object");
  EXPECT_THAT(WhyNot(R"({"keys":[{"kty":"oct","k":"AAAA"}]})"), HasSubstr("key 1: a secret key"));
  EXPECT_THAT(WhyNot(R"({"keys":[{"kty":"RSA","n":"!","e":"AQAB"}]})"), HasSubstr("key 1: "));
  EXPECT_THAT(WhyNot(R"({"keys":[{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}]})"), HasSubstr("key 1: "));
  EXPECT_THAT(WhyNot(TokenMaker::Rsa(1024).Jwks()), HasSubstr("2048 to 8192 bits"));
  const std::string key = Rsa().Jwk(R"("kid":"a")");
  EXPECT_EQ(WhyNot(absl::StrCat(R"({"keys":[)", key, ",", key, "]}")), "key 2: another key has its kid");
}

}  // namespace
}  // namespace aaren::identity
