#ifndef AAREN_SERVER_IDENTITY_TOKENS_KEY_SET_H_
#define AAREN_SERVER_IDENTITY_TOKENS_KEY_SET_H_

// A KeySet has the public keys by which an identity provider's tokens are checked: a JWKS (RFC 7517). It says whether
// one of them has signed a JWS in its compact form, and what was signed. What that means is for WebToken to say.
//
// Only keys of which nothing is secret are used: RSA of 2048 to 8192 bits, for RS256 to PS512; and EC, for the one of
// ES256, ES384 and ES512 that goes with the curve. Keys of other kinds, or for encryption, are passed over, since
// providers list them too. A secret key ("oct", or one with its private part) is an error: it would sign tokens, and
// has no business in the file. So is an RSA key by whose numbers anybody could sign.
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

  // Providers have a handful, and whoever waits for the set waits until all are read.
  static constexpr size_t kMaxKeys = 1'000;

  // InvalidArgument: no JWKS, more keys than that, a key that is none, two keys with one `kid`.
  static absl::StatusOr<KeySet> Parse(absl::string_view json);

  KeySet(KeySet&&) noexcept;
  KeySet& operator=(KeySet&&) noexcept;
  ~KeySet();

  struct Signed {
    std::string payload;
    std::string fingerprint;  // of the key
  };

  // What a key of the set has signed: the key with the token's `kid`, or the only one where the token has none.
  // Unauthenticated: anything else. The message is for the log alone, and has nothing of the token in it.
  absl::StatusOr<Signed> Verify(absl::string_view token) const;

  // Whether it has the key with this fingerprint (RFC 7638, by SHA-256).
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
