#ifndef AAREN_TESTS_SERVER_IDENTITY_TOKENS_TOKEN_MAKER_H_
#define AAREN_TESTS_SERVER_IDENTITY_TOKENS_TOKEN_MAKER_H_

// A TokenMaker is an identity provider with a single key. It signs by OpenSSL alone, independent of the library under
// test.

#include <memory>
#include <string>

#include "absl/strings/string_view.h"

namespace aaren::identity {

std::string Base64Url(absl::string_view bytes);

// HEADER.PAYLOAD, the signed bytes, from two texts of JSON.
std::string SigningInput(absl::string_view header, absl::string_view payload);

class TokenMaker {
 public:
  static TokenMaker Rsa(int bits = 2048);
  static TokenMaker Ec(const char* curve = "P-256");  // or P-384

  // The public key as JSON, with further members: R"("kid":"a")".
  std::string Jwk(absl::string_view members = "") const;
  std::string Jwks(absl::string_view members = "") const;  // a set of this key alone
  std::string Pem() const;

  // Signs by SHA-256, whatever the header says: RSA's PKCS #1 or PSS, or ECDSA.
  std::string Sign(absl::string_view header, absl::string_view payload, bool pss = false) const;

 private:
  struct Key;
  explicit TokenMaker(std::shared_ptr<const Key> key) : key_(std::move(key)) {}

  std::shared_ptr<const Key> key_;
};

// HEADER.PAYLOAD.MAC by HMAC-SHA256.
std::string SignBySecret(absl::string_view header, absl::string_view payload, absl::string_view secret);

}  // namespace aaren::identity

#endif  // AAREN_TESTS_SERVER_IDENTITY_TOKENS_TOKEN_MAKER_H_
