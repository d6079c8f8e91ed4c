#ifndef AAREN_SERVER_IDENTITY_ROSTER_H_
#define AAREN_SERVER_IDENTITY_ROSTER_H_

// The Roster lists the callers and their credentials: the hash of a token, or a name in the caller's certificate. The
// roster is a text file, one caller a line. A tenant may also have a line of limits, in any order:
//
//   # tenant  role    known by
//   acme      stream  sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
//   acme      admin   name:ops.acme.example
//   acme      limits  weight=4 sessions=10000 streams=64 tokens_per_second=50000 stored_bytes=2000000000
//   *         limits  sessions=100 streams=4
//
// The tenant "*" stands for each tenant without a line of limits, in the list or named by tokens alone (web_token.h). A
// limit left out of a line means no limit. The file keeps only hashes of tokens, and betrays none. A tenant may have
// many callers. Threading: immutable, once its accounts are bound.

#include <optional>
#include <string>
#include <utility>

#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "server/identity/accounts/account.h"
#include "server/identity/caller.h"

namespace aaren::identity {

// In the form of a line of the file: "weight=4 sessions=10000".
std::string ToString(const TenantLimits& limits);

class Roster {
 public:
  // InvalidArgument naming the line: an unknown role or limit, a hash of the wrong length, a number out of its range, a
  // caller listed twice.
  static absl::StatusOr<Roster> Parse(absl::string_view text);

  // The caller with this token; none: nobody's token.
  std::optional<Caller> FindToken(absl::string_view token) const;

  // The caller with this name in a certificate, a subject alternative name or a common name, to the letter.
  std::optional<Caller> FindName(absl::string_view name) const;

  // The caller with this Caller::known_by.
  std::optional<Caller> Find(absl::string_view known_by) const;

  // A tenant with callers, or with limits alone: then the limits are unused.
  struct Tenant {
    TenantLimits limits;
    size_t callers = 0;
    bool limited = false;  // has a line of limits
  };
  const absl::btree_map<std::string, Tenant>& tenants() const { return tenants_; }

  // The limits of every tenant without a line of limits.
  const TenantLimits& others() const { return others_.limits; }

  // Gives each caller the account of its tenant.
  void BindAccounts(absl::FunctionRef<Account*(const std::string& tenant)> account_of);

  size_t size() const { return callers_.size(); }

 private:
  absl::Status ParseLine(absl::string_view line);
  absl::Status AddLimits(const std::string& tenant, absl::Span<const std::string> words);
  absl::Status AddCaller(const std::string& tenant, const std::string& role, const std::string& known_by);

  absl::flat_hash_map<std::string, Caller> callers_;  // by the file's words, "sha256:…" or "name:…"
  absl::btree_map<std::string, Tenant> tenants_;      // by name, without "*"
  Tenant others_;                                     // "*"
};

}  // namespace aaren::identity

#endif  // AAREN_SERVER_IDENTITY_ROSTER_H_
