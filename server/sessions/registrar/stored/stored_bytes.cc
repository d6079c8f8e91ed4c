#include "server/sessions/registrar/stored/stored_bytes.h"

#include <algorithm>
#include <utility>

#include "server/sessions/registrar/desk.h"

namespace aaren::registrar {
namespace {

constexpr size_t kPage = 128;                               // records: less than a millisecond of the store's thread
constexpr absl::Duration kAge = absl::Minutes(1);           // between two counts
constexpr absl::Duration kAfterRefusal = absl::Seconds(1);  // between two counts, after a refusal
constexpr absl::Duration kAway = absl::Minutes(10);         // without an Open for so long, counting stops
constexpr int kRest = 20;                                   // the pause after a count, in lengths of the count

std::string TenantOf(absl::string_view key) { return std::string(key.substr(0, key.find('/'))); }

}  // namespace

StoredBytes::Count& StoredBytes::Of(const std::string& tenant, identity::Account* account) {
  Count& count = counts_[tenant];
  count.account = account;
  count.last_use = desk_.clock.Now();
  return count;
}

void StoredBytes::Follow(absl::string_view key, identity::Account* account) {
  if (account == nullptr || account->stored_bytes.limit() == 0) return;
  const std::string tenant = TenantOf(key);
  Count& count = Of(tenant, account);
  if (IsOlder(count, kAge)) Begin(tenant, count);
}

// True if the last count ended `age` ago, and kRest times its length ago. A failed count never ended.
bool StoredBytes::IsOlder(const Count& count, absl::Duration age) const {
  return desk_.clock.Now() - count.ended > std::max(age, kRest * (count.ended - count.began));
}

void StoredBytes::Take(absl::string_view key, identity::Account* account, uint64_t row_bytes, Then then) {
  if (account == nullptr || account->stored_bytes.limit() == 0) return then(std::nullopt);
  Follow(key, account);
  const std::string tenant = TenantOf(key);
  Count& count = counts_[tenant];
  const uint64_t bytes = kBesideRows + row_bytes;
  if (count.ended == absl::InfinitePast()) return count.waiting.push_back({bytes, std::move(then)});
  then(TakeNow(tenant, count, bytes));
}

std::optional<session::Refusal> StoredBytes::TakeNow(const std::string& tenant, Count& count, uint64_t bytes) {
  identity::Account& account = *count.account;
  const uint64_t limit = account.stored_bytes.limit();
  if (limit > 0 && count.found + count.made + bytes > limit) {
    if (IsOlder(count, kAfterRefusal)) Begin(tenant, count);
    account.NoteLimited(identity::Account::Limit::kStored);
    return session::TooManyStoredBytes(account, count.found + count.made, bytes);
  }
  count.made += bytes;
  count.made_meanwhile += bytes;
  Tell(tenant, count);
  return std::nullopt;
}

void StoredBytes::Refresh() {
  const absl::Time now = desk_.clock.Now();
  const auto is_away = [now](const Count& count) { return now - count.last_use > kAway; };
  // Accounts last, so a count for each account may last. But tenants with a shared account could come without end.
  absl::erase_if(counts_, [&](const auto& entry) {
    const auto& [tenant, count] = entry;
    return is_away(count) && !count.under_way && count.account->tenant() != tenant;
  });
  for (auto& [tenant, count] : counts_) {
    if (!is_away(count) && IsOlder(count, kAge)) Begin(tenant, count);
  }
}

void StoredBytes::Begin(const std::string& tenant, Count& count) {
  if (std::exchange(count.under_way, true)) return;
  count.began = desk_.clock.Now();
  count.found_so_far = count.made_meanwhile = 0;
  count.after.clear();
  CountPage(tenant);
}

void StoredBytes::CountPage(const std::string& tenant) {
  desk_.store.List(tenant + "/", counts_[tenant].after, kPage,
                   desk_.mail.Back<Page>([this, tenant](const Page& page) { OnPage(tenant, page); }));
}

void StoredBytes::OnPage(const std::string& tenant, const Page& page) {
  Count& count = counts_[tenant];
  if (!page.ok()) return Fail(count, session::StoreRefusal(page.status()));
  for (const store::SessionRecord& record : *page) count.found_so_far += kBesideRows + record.stored_bytes;
  if (desk_.mail.leaving()) return Fail(count, session::ShuttingDown());
  if (page->size() == kPage) {
    count.after = page->back().key;
    return desk_.mail.PostPage([this, tenant] { CountPage(tenant); });
  }
  count.found = count.found_so_far;
  count.made = count.made_meanwhile;
  count.under_way = false;
  count.ended = desk_.clock.Now();
  Tell(tenant, count);
  for (Waiter& waiter : std::exchange(count.waiting, {})) {
    waiter.then(TakeNow(tenant, counts_[tenant], waiter.bytes));
  }
}

// The earlier count goes on to count.
void StoredBytes::Fail(Count& count, const session::Refusal& refusal) {
  count.under_way = false;
  count.began = count.ended;
  for (Waiter& waiter : std::exchange(count.waiting, {})) waiter.then(refusal);
}

// An account shared by several tenants does not show the count of one tenant.
void StoredBytes::Tell(const std::string& tenant, const Count& count) {
  if (count.account->tenant() == tenant) count.account->stored_bytes.Set(count.found + count.made);
}

}  // namespace aaren::registrar
