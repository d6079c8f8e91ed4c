#ifndef AAREN_SERVER_IDENTITY_TOKENS_WEB_TOKEN_H_
#define AAREN_SERVER_IDENTITY_TOKENS_WEB_TOKEN_H_

// A WebToken is what a JWT (RFC 7519) says of who calls: the tenant, the role, and until when. It is made of a token
// that a key of the set has signed, and that meets the rules; of no other.
//
// `exp` is required. `nbf` and `iat` are respected where they are there. `iss` must be the issuer, and `aud` the
// audience or a list with it. The tenant must be one that a list of callers could name.
//
// Providers give roles as a list, or as one text with spaces between them (`scope`), among others that are none of
// ours. The highest that is one of ours counts; there must be one.
//
// Threading: plain values.

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "server/identity/caller.h"
#include "server/identity/tokens/key_set.h"

namespace aaren::identity {

struct WebTokenRules {
  std::string issuer, audience;
  // Members of the payload's object. "a.b": of that name or, if there is none, the member b of the object a.
  std::string tenant_claim = "tenant", role_claim = "role";
  absl::Duration skew = absl::Seconds(30);  // by which clocks may differ
};

struct WebToken {
  std::string tenant;
  Role role = Role::kRead;
  absl::Time ends;          // `exp` and the skew: from then on it is nobody's
  std::string fingerprint;  // of the key that has signed it (KeySet::Has)

  // Unauthenticated, with a reason for the log alone: it has nothing of the token in it. `now` is the wall clock's.
  static absl::StatusOr<WebToken> Verify(absl::string_view token, const KeySet& keys, const WebTokenRules& rules,
                                         absl::Time now);
};

}  // namespace aaren::identity

#endif  // AAREN_SERVER_IDENTITY_TOKENS_WEB_TOKEN_H_
