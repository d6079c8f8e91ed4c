#ifndef AAREN_SERVER_IDENTITY_TOKENS_KEY_SET_H_
#define AAREN_SERVER_IDENTITY_TOKENS_KEY_SET_H_

// A KeySet has the public keys for checking an identity provider's tokens: a JWKS (RFC 7517). The set tells whether one
// of its keys has signed a JWS in compact form, and returns the signed text. WebToken knows the meaning of the text.
//
// Only public keys are used: RSA of 2048 to 8192 bits, for RS256 to PS512; and EC, for the one of ES256, ES384 and
// ES512 that goes with the curve. Keys of other kinds, or for encryption, are passed over, since providers list such
// keys too. A secret key ("oct", or a key with its private part) is an error: a secret key could sign tokens, and does
// not belong in the file. An RSA key whose numbers let anybody sign is an error, too.
//
// Threading: immutable.

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace aaren::identity {

class KeySet {
 public:
  // Longer tokens are not looked at.
  static constexpr size_t kMaxTokenBytes = 8 << 10;

  // Providers have a handful, and users of the set wait until all keys are read.
  static constexpr size_t kMaxKeys = 1'000;

  // InvalidArgument: no JWKS, more than kMaxKeys keys, a malformed key, two keys with one `kid`.
  static absl::StatusOr<KeySet> Parse(absl::string_view json);

  KeySet(KeySet&&) noexcept;
  KeySet& operator=(KeySet&&) noexcept;
  ~KeySet();

  struct Signed {
    std::string payload;
    std::string fingerprint;  // the key's
  };

  // The text signed by a key of the set: the key with the token's `kid`, or the only key if the token has none.
  // Unauthenticated: anything else. The message is for the log alone, and has nothing of the token in it.
  absl::StatusOr<Signed> Verify(absl::string_view token) const;

  // True if the set has the key with this fingerprint (RFC 7638, by SHA-256).
  bool Has(absl::string_view fingerprint) const;

  size_t size() const { return keys_.size(); }

 private:
  struct Key;
  KeySet();
  absl::Status Add(Key key);
  absl::StatusOr<const Key*> Choose(absl::string_view token) const;

  std::vector<std::unique_ptr<const Key>> keys_;
};

}  // namespace aaren::identity

#endif  // AAREN_SERVER_IDENTITY_TOKENS_KEY_SET_H_
