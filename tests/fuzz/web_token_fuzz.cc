// A JWKS on the first line, and any token on the second: every accepted token was signed by a key of the
// set.

#include <string>
#include <utility>

#include "absl/strings/str_split.h"
#include "server/identity/tokens/web_token.h"
#include "tests/fuzz/target.h"

namespace aaren::fuzz {

void RunWebToken(absl::string_view bytes) {
  const std::pair<absl::string_view, absl::string_view> lines = absl::StrSplit(bytes, absl::MaxSplits('\n', 1));
  const auto keys = identity::KeySet::Parse(lines.first);
  if (!keys.ok()) return;
  const auto read = keys->Verify(lines.second);
  Must(!read.ok() || keys->Has(read->fingerprint), "a key that is not there has signed");
  const identity::WebTokenRules rules{.issuer = "joe", .audience = "aaren"};
  const auto token = identity::WebToken::Verify(lines.second, *keys, rules, absl::FromUnixSeconds(1'300'819'000));
  Must(!token.ok() || (read.ok() && identity::IsTenant(token->tenant)), "who calls is none whom a list could name");
}

}  // namespace aaren::fuzz
