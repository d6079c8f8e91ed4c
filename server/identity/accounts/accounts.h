#ifndef AAREN_SERVER_IDENTITY_ACCOUNTS_ACCOUNTS_H_
#define AAREN_SERVER_IDENTITY_ACCOUNTS_ACCOUNTS_H_

// Accounts hold the accounts of all tenants, named by the list of callers or by tokens alone.
// Streams point to accounts: an account lasts as long as the server, and later limits hold for open
// streams.
//
//   a tenant with a line of limits   has those limits
//   any other tenant                 has the limits of the line "*", or none
//
// A provider could name tenants without end. Beyond kMaxUnlisted, tenants not in the list share one account, called
// "*". A tenant with a line of limits never shares.
//
// Threading: safe.

#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/btree_map.h"
#include "absl/synchronization/mutex.h"
#include "server/identity/accounts/account.h"

namespace aaren::identity {

class Accounts {
 public:
  static constexpr size_t kMaxUnlisted = 4'096;
  static constexpr const char* kOthers = "*";

  // The account of a tenant in the list.
  Account* OfListed(const std::string& tenant) ABSL_LOCKS_EXCLUDED(mutex_);

  // The account of a tenant named by a token.
  Account* OfToken(const std::string& tenant) ABSL_LOCKS_EXCLUDED(mutex_);

  // Sets the limits of the list from now on: the tenants with limits of their own, and the limits of the rest. `now_ns`
  // as in RateLimit. From one thread at a time; other calls wait for a moment at most, however many tenants there are.
  void SetLimits(absl::btree_map<std::string, TenantLimits> own, const TenantLimits& others, int64_t now_ns)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Accounts of tenants named by tokens, in order of arrival; the shared account is the last.
  std::vector<const Account*> of_tokens() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  Account* Of(const std::string& tenant) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Sets the limits of some tenants from `next` on, and moves `next`. False after the last tenant.
  bool SetSome(std::string& next, int64_t now_ns) ABSL_LOCKS_EXCLUDED(mutex_);
  const TenantLimits& LimitsOf(const std::string& tenant) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  struct Entry {
    std::unique_ptr<Account> account;
    bool of_token = false;  // is in of_tokens_
  };

  mutable absl::Mutex mutex_;
  absl::btree_map<std::string, Entry> entries_ ABSL_GUARDED_BY(mutex_);  // by tenant; "*" too
  std::vector<const Account*> of_tokens_ ABSL_GUARDED_BY(mutex_);        // without "*"
  absl::btree_map<std::string, TenantLimits> own_ ABSL_GUARDED_BY(mutex_);
  TenantLimits others_ ABSL_GUARDED_BY(mutex_);
  int64_t set_ns_ ABSL_GUARDED_BY(mutex_) = 0;  // when limits were set
};

}  // namespace aaren::identity

#endif  // AAREN_SERVER_IDENTITY_ACCOUNTS_ACCOUNTS_H_
