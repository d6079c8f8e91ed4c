#ifndef AAREN_SERVER_IDENTITY_CALLERS_H_
#define AAREN_SERVER_IDENTITY_CALLERS_H_

// A Callers knows who may call: those of a list (roster_file.h), those for whom an identity provider has signed a token
// (web_token.h), or both. A server that has none lets everybody do everything.
//
// A token of a provider holds until it ends and while its key is in the set. Its tenant has an account like any other
// (accounts.h), with the limits that the list names for it, or for "*".
//
// Every token is looked up: a hash costs a microsecond. A signature costs fifty times as much and more, so checks in
// vain may take a twentieth of a core. Threading: Look by one thread at a time, all else by any thread.

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
  // Either may be null: nobody is let in that way. `rules` are of tokens that `keys` sign.
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

    // What somebody who was let in is now; none: nobody any more. `wall` is the wall clock's.
    std::optional<Caller> Still(const Caller& caller, absl::Time wall) const;
  };

  // The list and the keys at the last Look.
  Known Get() const;

  // Whose token it is. Unauthenticated: nobody's. ResourceExhausted: the signature was not checked, after too many
  // checks in vain. The message is for the log alone, and has nothing of the token in it. `now_ns` as in Look.
  absl::StatusOr<Caller> FindToken(absl::string_view token, int64_t now_ns, absl::Time wall) const;

  // Who has this name in a certificate, as Roster::FindName.
  std::optional<Caller> FindName(absl::string_view name) const;

  // Of the tenants that the list names now, by name.
  std::vector<const Account*> listed_accounts() const;

  // Of those that tokens have named, in the order in which they came. The list may name some of them.
  std::vector<const Account*> token_accounts() const { return accounts_->of_tokens(); }

 private:
  absl::StatusOr<Caller> FindWebToken(absl::string_view token, int64_t now_ns, absl::Time wall) const;

  const std::unique_ptr<RosterFile> roster_;
  const std::shared_ptr<Accounts> accounts_;  // of the list, too
  const std::unique_ptr<KeySetFile> keys_;
  const WebTokenRules rules_;
  mutable VerifiedTokens verified_;
  mutable RateLimit in_vain_;  // microseconds of checking tokens of which nothing came
  absl::Notification ending_;
  std::thread watch_;  // none before Watch
};

}  // namespace aaren::identity

#endif  // AAREN_SERVER_IDENTITY_CALLERS_H_
