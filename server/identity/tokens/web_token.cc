#include "server/identity/tokens/web_token.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "nlohmann/json.hpp"

namespace aaren::identity {
namespace {

using nlohmann::json;

constexpr double kMostSeconds = 253'402'300'799;  // the year 9999

absl::Status No(absl::string_view why) { return absl::UnauthenticatedError(why); }

// A claim by its name, or by a path of names with dots between them; null: the claim is missing.
const json* Find(const json& claims, const std::string& name) {
  if (const auto found = claims.find(name); found != claims.end()) return &*found;
  const json* at = &claims;
  for (const absl::string_view part : absl::StrSplit(name, '.')) {
    const auto found = at->find(std::string(part));  // end(), unless an object
    if (found == at->end()) return nullptr;
    at = &*found;
  }
  return at;
}

// A claim of type string; none: missing, or of another type.
std::optional<std::string> Text(const json& claims, const std::string& name) {
  const json* claim = Find(claims, name);
  if (claim == nullptr || !claim->is_string()) return std::nullopt;
  return claim->get<std::string>();
}

// The highest role named in a text; none: no known role.
std::optional<Role> RoleIn(const std::string& text) {
  std::optional<Role> highest;
  for (const absl::string_view name : absl::StrSplit(text, ' ')) {
    const absl::StatusOr<Role> role = ParseRole(name);
    if (role.ok() && (!highest || *highest < *role)) highest = *role;
  }
  return highest;
}

std::optional<Role> HighestRole(const json& claims, const std::string& name) {
  const json* claim = Find(claims, name);
  if (claim == nullptr) return std::nullopt;
  // A text with blanks between roles, as in `scope`.
  if (claim->is_string()) return RoleIn(claim->get<std::string>());
  if (!claim->is_array()) return std::nullopt;
  std::optional<Role> highest;
  for (const json& element : *claim) {
    if (element.is_string()) highest = std::max(highest, RoleIn(element.get<std::string>()));
  }
  return highest;
}

// A claim that is a time (NumericDate: seconds since 1970, perhaps with a fraction); none: another value.
std::optional<absl::Time> Time(const json& claim) {
  if (!claim.is_number()) return std::nullopt;
  const auto seconds = claim.get<double>();
  if (!(seconds >= 0 && seconds <= kMostSeconds)) return std::nullopt;
  return absl::UnixEpoch() + absl::Seconds(seconds);
}

bool IsFor(const json& claims, const std::string& audience) {
  const auto found = claims.find("aud");
  if (found == claims.end()) return false;
  if (!found->is_array()) return *found == audience;
  // RFC 7519, 4.1.3: the audience is a text or a list.
  return std::find(found->begin(), found->end(), audience) != found->end();
}

// Sets `ends`.
absl::Status CheckTimes(const json& claims, const WebTokenRules& rules, absl::Time now, WebToken& token) {
  const auto exp = claims.find("exp");
  const std::optional<absl::Time> expires = exp == claims.end() ? std::nullopt : Time(*exp);
  if (!expires) return No("it does not say when it expires");
  // Clocks differ: the skew is granted at both ends of a token's life.
  token.ends = *expires + rules.skew;
  if (now >= token.ends) return No("it has expired");
  for (const char* name : {"nbf", "iat"}) {
    const auto claim = claims.find(name);
    if (claim == claims.end()) continue;
    const std::optional<absl::Time> from = Time(*claim);
    if (!from) return No(absl::StrCat("its ", name, " is no time"));
    if (*from > now + rules.skew) return No(absl::StrCat("its ", name, " is to come"));
  }
  return absl::OkStatus();
}

// Sets tenant and role.
absl::Status CheckCaller(const json& claims, const WebTokenRules& rules, WebToken& token) {
  std::optional<std::string> tenant = Text(claims, rules.tenant_claim);
  if (!tenant || !IsTenant(*tenant)) return No(absl::StrCat("its claim ", rules.tenant_claim, " is no tenant"));
  const std::optional<Role> role = HighestRole(claims, rules.role_claim);
  if (!role) return No(absl::StrCat("its claim ", rules.role_claim, " is no role"));
  token.tenant = *std::move(tenant);
  token.role = *role;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<WebToken> WebToken::Verify(absl::string_view text, const KeySet& keys, const WebTokenRules& rules,
                                          absl::Time now) {
  absl::StatusOr<KeySet::Signed> read = keys.Verify(text);
  if (!read.ok()) return read.status();
  const json claims = json::parse(read->payload, nullptr, /*allow_exceptions=*/false);
  if (!claims.is_object()) return No("its payload is no object");
  if (Text(claims, "iss") != rules.issuer) return No("it is of another issuer");
  if (!IsFor(claims, rules.audience)) return No("it is for another audience");
  WebToken token;
  token.fingerprint = std::move(read->fingerprint);
  if (absl::Status status = CheckTimes(claims, rules, now, token); !status.ok()) return status;
  if (absl::Status status = CheckCaller(claims, rules, token); !status.ok()) return status;
  return token;
}

}  // namespace aaren::identity
