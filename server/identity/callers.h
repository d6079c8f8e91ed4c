#ifndef AAREN_SERVER_IDENTITY_CALLERS_H_
#define AAREN_SERVER_IDENTITY_CALLERS_H_

// Callers know the callers of the server: by a list (roster_file.h), by tokens that an identity provider has signed
// (web_token.h), or both. A server without Callers lets everybody do everything.
//
// A provider's token holds until it ends and while its key is in the set. The token's tenant has an account like any
// tenant (accounts.h), with the limits in the list for the tenant, or for "*".
//
// Every token is looked up: a hash costs a microsecond. A signature costs fifty times as much and more: checks in vain
// may take a twentieth of a core. Threading: Look by one thread at a time, all else by any thread.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/notification.h"
#include "absl/time/time.h"
#include "server/identity/accounts/rate_limit.h"
#include "server/identity/caller.h"
#include "server/identity/roster_file.h"
#include "server/identity/tokens/key_set_file.h"
#include "server/identity/tokens/verified_tokens.h"
#include "server/identity/tokens/web_token.h"

namespace aaren::identity {

class Callers {
 public:
  // Either may be null: nobody is let in that way. `rules` hold for tokens signed by `keys`.
  Callers(std::unique_ptr<RosterFile> roster, std::unique_ptr<KeySetFile> keys, WebTokenRules rules);
  ~Callers();

  // Takes up changed files. `now_ns` is monotonic.
  void Look(int64_t now_ns);

  // Calls Look every second, on a new thread, until the Callers are destroyed. REQUIRES: called once at most.
  void Watch(std::function<int64_t()> now_ns);

  // The list and the keys at one moment.
  struct Known {
    std::shared_ptr<const Roster> roster;
    std::shared_ptr<const KeySet> keys;

    bool operator==(const Known& other) const { return roster == other.roster && keys == other.keys; }

    // The present rights of an admitted caller; none: the caller may not call any more. `wall` is the wall clock's.
    std::optional<Caller> Still(const Caller& caller, absl::Time wall) const;
  };

  // The list and the keys at the last Look.
  Known Get() const;

  // The caller with this token. Unauthenticated: nobody's token. ResourceExhausted: the signature was not checked,
  // after too many checks in vain. The message is for the log alone, without any of the token. `now_ns` as in Look.
  absl::StatusOr<Caller> FindToken(absl::string_view token, int64_t now_ns, absl::Time wall) const;

  // The caller with this name in a certificate, as Roster::FindName.
  std::optional<Caller> FindName(absl::string_view name) const;

  // The accounts of the tenants in the list, by name.
  std::vector<const Account*> listed_accounts() const;

  // The accounts of tenants named by tokens, in order of arrival. The list may name some of them.
  std::vector<const Account*> token_accounts() const { return accounts_->of_tokens(); }

 private:
  absl::StatusOr<Caller> FindWebToken(absl::string_view token, int64_t now_ns, absl::Time wall) const;

  const std::unique_ptr<RosterFile> roster_;
  const std::shared_ptr<Accounts> accounts_;  // the list's, too
  const std::unique_ptr<KeySetFile> keys_;
  const WebTokenRules rules_;
  mutable VerifiedTokens verified_;
  mutable RateLimit in_vain_;  // microseconds spent on refused tokens
  absl::Notification ending_;
  std::thread watch_;  // none before Watch
};

}  // namespace aaren::identity

#endif  // AAREN_SERVER_IDENTITY_CALLERS_H_
