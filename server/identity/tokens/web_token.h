#ifndef AAREN_SERVER_IDENTITY_TOKENS_WEB_TOKEN_H_
#define AAREN_SERVER_IDENTITY_TOKENS_WEB_TOKEN_H_

// A WebToken has the claims of a JWT (RFC 7519) about the caller: tenant, role, and end. Verify makes a WebToken only
// from a token that a key of the set has signed and that meets the rules.
//
// `exp` is required. `nbf` and `iat` are respected if present. `iss` must be the issuer, and `aud` the audience or a
// list with the audience. The tenant must be a name that a list of callers could have.
//
// Providers give roles as a list, or as one text with spaces between roles (`scope`), mixed with roles unknown here.
// The highest known role counts; at least one is required.
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
  // Members of the payload's object. "a.b": the member of that name or, without it, the member b of the object a.
  std::string tenant_claim = "tenant", role_claim = "role";
  absl::Duration skew = absl::Seconds(30);  // the greatest difference between clocks
};

struct WebToken {
  std::string tenant;
  Role role = Role::kRead;
  absl::Time ends;          // `exp` and the skew: nobody's from then on
  std::string fingerprint;  // the signing key's (KeySet::Has)

  // Unauthenticated, with a reason for the log alone: the reason has nothing of the token. `now` is the wall clock's.
  static absl::StatusOr<WebToken> Verify(absl::string_view token, const KeySet& keys, const WebTokenRules& rules,
                                         absl::Time now);
};

}  // namespace aaren::identity

#endif  // AAREN_SERVER_IDENTITY_TOKENS_WEB_TOKEN_H_
