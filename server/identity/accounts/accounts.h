#ifndef AAREN_SERVER_IDENTITY_ACCOUNTS_ACCOUNTS_H_
#define AAREN_SERVER_IDENTITY_ACCOUNTS_ACCOUNTS_H_

// The Accounts of all tenants: of those that the list of callers names, and of those that only tokens name. Streams
// point to them, so that an account lasts as long as the server, and limits that are given later hold for streams that
// are open.
//
//   a tenant with a line of limits   has those
//   any other                        has those of the line "*", or none
//
// A provider could name tenants without end. Beyond kMaxUnlisted those that the list does not name share one account,
// called "*". A tenant with a line of limits never does.
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

  // The account of a tenant that the list names.
  Account* OfListed(const std::string& tenant) ABSL_LOCKS_EXCLUDED(mutex_);

  // The account of a tenant that a token names.
  Account* OfToken(const std::string& tenant) ABSL_LOCKS_EXCLUDED(mutex_);

  // What the list says from now on: which tenants have limits of their own, and what each of the others may have.
  // `now_ns` as RateLimit has it. From one thread at a time; others wait for a moment at most, however many there are.
  void SetLimits(absl::btree_map<std::string, TenantLimits> own, const TenantLimits& others, int64_t now_ns)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Of tenants that tokens have named, in the order in which they came; the one that is shared is the last.
  std::vector<const Account*> of_tokens() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  Account* Of(const std::string& tenant) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Sets those of some tenants from `next` on, and moves it. False if there are no more.
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
