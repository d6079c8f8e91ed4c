#include "server/identity/roster.h"

#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace aaren::identity {
namespace {

constexpr absl::string_view kHash = "sha256:", kName = "name:";
constexpr std::array<absl::string_view, 3> kRoles = {"read", "stream", "admin"};
constexpr size_t kMaxTenantBytes = 128;

std::string HashOf(absl::string_view token) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest;
  SHA256(reinterpret_cast<const unsigned char*>(token.data()), token.size(), digest.data());
  return absl::BytesToHexString({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

bool IsHash(absl::string_view text) {
  return text.size() == 2 * SHA256_DIGEST_LENGTH && std::all_of(text.begin(), text.end(), absl::ascii_isxdigit);
}

// A session's key is tenant, '/', id.
bool IsTenant(absl::string_view text) {
  return text.size() <= kMaxTenantBytes && !absl::StrContains(text, '/') &&
         std::all_of(text.begin(), text.end(), absl::ascii_isprint);
}

absl::StatusOr<Role> ParseRole(absl::string_view text) {
  const auto role = std::find(kRoles.begin(), kRoles.end(), text);
  if (role != kRoles.end()) return static_cast<Role>(role - kRoles.begin());
  return absl::InvalidArgumentError(absl::StrCat("'", text, "' is no role; there are read, stream and admin"));
}

// As the table has it: hashes in small letters.
absl::StatusOr<std::string> ParseKnownBy(absl::string_view text) {
  if (absl::StartsWith(text, kName) && text.size() > kName.size()) return std::string(text);
  if (absl::StartsWith(text, kHash) && IsHash(text.substr(kHash.size()))) return absl::AsciiStrToLower(text);
  return absl::InvalidArgumentError("known by sha256: and 64 hexadecimal digits, or by name: and a certificate's name");
}

absl::StatusOr<std::pair<std::string, Caller>> ParseLine(absl::string_view line) {
  const std::vector<std::string> words = absl::StrSplit(line, absl::ByAnyChar(" \t"), absl::SkipEmpty());
  if (words.size() != 3) return absl::InvalidArgumentError("a line has a tenant, a role, and what it is known by");
  if (!IsTenant(words[0])) {
    return absl::InvalidArgumentError(absl::StrCat("a tenant has at most ", kMaxTenantBytes, " bytes and no '/'"));
  }
  const absl::StatusOr<Role> role = ParseRole(words[1]);
  if (!role.ok()) return role.status();
  absl::StatusOr<std::string> known_by = ParseKnownBy(words[2]);
  if (!known_by.ok()) return known_by.status();
  return std::pair(*std::move(known_by), Caller{words[0], *role});
}

}  // namespace

absl::string_view NameOf(Role role) { return kRoles[static_cast<size_t>(role)]; }

absl::StatusOr<Roster> Roster::Parse(absl::string_view text) {
  Roster roster;
  int number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    line = absl::StripAsciiWhitespace(line);
    if (line.empty() || line[0] == '#') continue;
    absl::StatusOr<std::pair<std::string, Caller>> entry = ParseLine(line);
    if (entry.ok() && !roster.callers_.insert(*std::move(entry)).second) {
      entry = absl::InvalidArgumentError("somebody known by the same is there already");
    }
    if (!entry.ok()) return absl::InvalidArgumentError(absl::StrCat("line ", number, ": ", entry.status().message()));
  }
  return roster;
}

std::optional<Caller> Roster::FindToken(absl::string_view token) const {
  const auto caller = callers_.find(absl::StrCat(kHash, HashOf(token)));
  return caller == callers_.end() ? std::nullopt : std::optional(caller->second);
}

std::optional<Caller> Roster::FindName(absl::string_view name) const {
  const auto caller = callers_.find(absl::StrCat(kName, name));
  return caller == callers_.end() ? std::nullopt : std::optional(caller->second);
}

}  // namespace aaren::identity
