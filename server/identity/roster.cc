#include "server/identity/roster.h"

#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace aaren::identity {
namespace {

constexpr absl::string_view kHash = "sha256:", kName = "name:", kLimitsWord = "limits", kOthers = "*";

std::string HashOf(absl::string_view token) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest;
  SHA256(reinterpret_cast<const unsigned char*>(token.data()), token.size(), digest.data());
  return absl::BytesToHexString({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

bool IsHash(absl::string_view text) {
  return text.size() == 2 * SHA256_DIGEST_LENGTH && std::all_of(text.begin(), text.end(), absl::ascii_isxdigit);
}

// The text in the table's form: hashes in small letters.
absl::StatusOr<std::string> ParseKnownBy(absl::string_view text) {
  if (absl::StartsWith(text, kName) && text.size() > kName.size()) return std::string(text);
  if (absl::StartsWith(text, kHash) && IsHash(text.substr(kHash.size()))) return absl::AsciiStrToLower(text);
  return absl::InvalidArgumentError("known by sha256: and 64 hexadecimal digits, or by name: and a certificate's name");
}

// SetLimit and ToString both follow kFields: a limit has one name in files and in prints.
struct LimitField {
  absl::string_view name;
  uint64_t TenantLimits::*value;
  uint64_t most;
};
constexpr std::array<LimitField, 6> kFields = {{{"weight", &TenantLimits::weight, 1'000},
                                                {"sessions", &TenantLimits::sessions, 1'000'000'000},
                                                {"streams", &TenantLimits::streams, 1'000'000'000},
                                                {"tokens_per_second", &TenantLimits::tokens_per_second, 1'000'000'000},
                                                {"unary_per_second", &TenantLimits::unary_per_second, 1'000'000'000},
                                                {"stored_bytes", &TenantLimits::stored_bytes, 1'000'000'000'000'000}}};

// "NAME=NUMBER".
absl::Status SetLimit(absl::string_view word, TenantLimits& limits) {
  const std::pair<absl::string_view, absl::string_view> parts = absl::StrSplit(word, absl::MaxSplits('=', 1));
  const auto field = std::find_if(kFields.begin(), kFields.end(),
                                  [&parts](const LimitField& known) { return known.name == parts.first; });
  if (field == kFields.end()) {
    const auto name = [](std::string* out, const LimitField& known) { absl::StrAppend(out, known.name); };
    return absl::InvalidArgumentError(
        absl::StrCat("'", parts.first, "' is no limit; there are ", absl::StrJoin(kFields, ", ", name)));
  }
  uint64_t number = 0;
  // 0 would mean no limit: a line leaves the limit out instead.
  if (absl::SimpleAtoi(parts.second, &number) && number >= 1 && number <= field->most) {
    limits.*field->value = number;
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat(field->name, " is a number from 1 to ", field->most, ", as in ", field->name, "=10"));
}

}  // namespace

std::string ToString(const TenantLimits& limits) {
  std::string text;
  for (const LimitField& field : kFields) {
    if (limits.*field.value > 0) absl::StrAppend(&text, text.empty() ? "" : " ", field.name, "=", limits.*field.value);
  }
  return text;
}

absl::StatusOr<Roster> Roster::Parse(absl::string_view text) {
  Roster roster;
  int number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    line = absl::StripAsciiWhitespace(line);
    if (line.empty() || line[0] == '#') continue;
    const absl::Status status = roster.ParseLine(line);
    if (!status.ok()) return absl::InvalidArgumentError(absl::StrCat("line ", number, ": ", status.message()));
  }
  return roster;
}

absl::Status Roster::ParseLine(absl::string_view line) {
  const std::vector<std::string> words = absl::StrSplit(line, absl::ByAnyChar(" \t"), absl::SkipEmpty());
  // No role is called "limits", so the second word tells the kind of the line.
  const bool is_limits = words.size() > 2 && words[1] == kLimitsWord;
  if (!IsTenant(words[0]) && !(words[0] == kOthers && is_limits)) {
    return absl::InvalidArgumentError("a tenant has at most 128 bytes and no '/'; '*' is all others, for limits alone");
  }
  if (is_limits) return AddLimits(words[0], absl::MakeConstSpan(words).subspan(2));
  if (words.size() == 3) return AddCaller(words[0], words[1], words[2]);
  return absl::InvalidArgumentError(
      "a line has a tenant, a role, and what it is known by; or a tenant, the word limits, and NAME=NUMBER");
}

absl::Status Roster::AddLimits(const std::string& tenant, absl::Span<const std::string> words) {
  Tenant& entry = tenant == kOthers ? others_ : tenants_[tenant];
  // A second line would silently win.
  if (std::exchange(entry.limited, true)) {
    return absl::InvalidArgumentError(absl::StrCat("tenant '", tenant, "' has a line of limits already"));
  }
  for (const std::string& word : words) {
    if (absl::Status status = SetLimit(word, entry.limits); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status Roster::AddCaller(const std::string& tenant, const std::string& role, const std::string& known_by) {
  const absl::StatusOr<Role> parsed_role = ParseRole(role);
  if (!parsed_role.ok()) return parsed_role.status();
  const absl::StatusOr<std::string> parsed = ParseKnownBy(known_by);
  if (!parsed.ok()) return parsed.status();
  const Caller caller{.tenant = tenant, .role = *parsed_role, .known_by = *parsed};
  // One token for two callers would leave open which tenant is calling.
  if (!callers_.emplace(*parsed, caller).second) {
    return absl::InvalidArgumentError("somebody known by the same is there already");
  }
  ++tenants_[tenant].callers;
  return absl::OkStatus();
}

void Roster::BindAccounts(absl::FunctionRef<Account*(const std::string& tenant)> account_of) {
  for (auto& [known_by, caller] : callers_) caller.account = account_of(caller.tenant);
}

std::optional<Caller> Roster::Find(absl::string_view known_by) const {
  const auto caller = callers_.find(known_by);
  return caller == callers_.end() ? std::nullopt : std::optional(caller->second);
}

std::optional<Caller> Roster::FindToken(absl::string_view token) const {
  return Find(absl::StrCat(kHash, HashOf(token)));
}

std::optional<Caller> Roster::FindName(absl::string_view name) const { return Find(absl::StrCat(kName, name)); }

}  // namespace aaren::identity
