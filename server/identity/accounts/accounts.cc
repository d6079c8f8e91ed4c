#include "server/identity/accounts/accounts.h"

#include <utility>

namespace aaren::identity {
namespace {

constexpr int kAtOnce = 100;  // accounts, under the lock

}  // namespace

const TenantLimits& Accounts::LimitsOf(const std::string& tenant) const {
  const auto own = own_.find(tenant);
  return own == own_.end() ? others_ : own->second;
}

Account* Accounts::Of(const std::string& tenant) {
  std::unique_ptr<Account>& account = entries_[tenant].account;
  if (account == nullptr) {
    account = std::make_unique<Account>(tenant);
    account->SetLimits(LimitsOf(tenant), set_ns_);
  }
  return account.get();
}

Account* Accounts::OfListed(const std::string& tenant) {
  absl::MutexLock lock(&mutex_);
  return Of(tenant);
}

Account* Accounts::OfToken(const std::string& tenant) {
  absl::MutexLock lock(&mutex_);
  const bool is_new = !entries_.contains(tenant) && !own_.contains(tenant);
  if (is_new && of_tokens_.size() >= kMaxUnlisted) return Of(kOthers);
  Account* account = Of(tenant);
  if (!std::exchange(entries_[tenant].of_token, true)) of_tokens_.push_back(account);
  return account;
}

// Accounts made meanwhile have the new limits from the beginning.
void Accounts::SetLimits(absl::btree_map<std::string, TenantLimits> own, const TenantLimits& others, int64_t now_ns) {
  {
    absl::MutexLock lock(&mutex_);
    // The old limits leave by `own`, and are freed after the lock was released.
    own_.swap(own);
    others_ = others;
    set_ns_ = now_ns;
  }
  std::string next;
  while (SetSome(next, now_ns)) {
  }
}

bool Accounts::SetSome(std::string& next, int64_t now_ns) {
  absl::MutexLock lock(&mutex_);
  // The lock was released since the last round, so `next` is a name and no iterator.
  auto entry = entries_.lower_bound(next);
  for (int i = 0; i < kAtOnce && entry != entries_.end(); ++i, ++entry) {
    entry->second.account->SetLimits(LimitsOf(entry->first), now_ns);
  }
  if (entry == entries_.end()) return false;
  next = entry->first;
  return true;
}

std::vector<const Account*> Accounts::of_tokens() const {
  absl::MutexLock lock(&mutex_);
  std::vector<const Account*> accounts = of_tokens_;
  if (const auto others = entries_.find(kOthers); others != entries_.end())
    accounts.push_back(others->second.account.get());
  return accounts;
}

}  // namespace aaren::identity
