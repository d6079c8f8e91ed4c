#include "server/registrar/stored/stored_bytes.h"

#include <utility>

#include "server/registrar/registrar_impl.h"

namespace aaren::registrar {
namespace {

constexpr size_t kPage = 128;                               // records: less than a millisecond of the store's thread
constexpr absl::Duration kAge = absl::Minutes(1);           // of a count, until the next one
constexpr absl::Duration kAfterRefusal = absl::Seconds(1);  // likewise, once something was refused
constexpr absl::Duration kForgotten = absl::Minutes(10);    // without use; until then a tenant is counted again

std::string TenantOf(absl::string_view key) { return std::string(key.substr(0, key.find('/'))); }

}  // namespace

StoredBytes::Count& StoredBytes::Of(const std::string& tenant, identity::Account* account) {
  Count& count = counts_[tenant];
  count.account = account;
  count.last_use = registrar_.now();
  return count;
}

void StoredBytes::Follow(absl::string_view key, identity::Account* account) {
  if (account == nullptr || account->stored_bytes.limit() == 0) return;
  const std::string tenant = TenantOf(key);
  Count& count = Of(tenant, account);
  if (count.ended == absl::InfinitePast()) Begin(tenant, count);
}

std::optional<session::Refusal> StoredBytes::Take(absl::string_view key, identity::Account* account,
                                                  uint64_t row_bytes) {
  if (account == nullptr || account->stored_bytes.limit() == 0) return std::nullopt;
  Follow(key, account);
  const std::string tenant = TenantOf(key);
  Count& count = Of(tenant, account);
  const uint64_t bytes = kBesideRows + row_bytes;
  if (count.found + count.made + bytes > account->stored_bytes.limit()) {
    if (registrar_.now() - count.ended > kAfterRefusal) Begin(tenant, count);
    account->NoteLimited(identity::Account::Limit::kStored);
    return session::TooManyStoredBytes(*account, count.found + count.made, bytes);
  }
  count.made += bytes;
  count.made_meanwhile += bytes;
  Tell(tenant, count);
  return std::nullopt;
}

void StoredBytes::Refresh() {
  const absl::Time now = registrar_.now();
  absl::erase_if(counts_, [now](const auto& entry) {
    return !entry.second.under_way && now - entry.second.last_use > kForgotten;
  });
  std::vector<std::string> old;
  for (const auto& [tenant, count] : counts_) {
    if (now - count.ended > kAge) old.push_back(tenant);
  }
  for (const std::string& tenant : old) Begin(tenant, counts_[tenant]);
}

// It is ended in a moment if the store answers at once.
void StoredBytes::Begin(const std::string& tenant, Count& count) {
  if (std::exchange(count.under_way, true)) return;
  count.found_so_far = count.made_meanwhile = 0;
  count.after.clear();
  CountPage(tenant);
}

void StoredBytes::CountPage(const std::string& tenant) {
  registrar_.store().List(tenant + "/", counts_[tenant].after, kPage,
                          registrar_.Back<Page>([this, tenant](const Page& page) { OnPage(tenant, page); }));
}

void StoredBytes::OnPage(const std::string& tenant, const Page& page) {
  Count& count = counts_[tenant];
  if (!page.ok()) return End(count);  // what was found before holds on
  for (const store::SessionRecord& record : *page) count.found_so_far += kBesideRows + record.stored_bytes;
  if (page->size() == kPage && !registrar_.leaving()) {
    count.after = page->back().key;
    return registrar_.PostPage([this, tenant] { CountPage(tenant); });
  }
  count.found = count.found_so_far;
  count.made = count.made_meanwhile;
  Tell(tenant, count);
  End(count);
}

void StoredBytes::End(Count& count) {
  count.under_way = false;
  count.ended = registrar_.now();
}

// Tenants that share an account are not told one by one.
void StoredBytes::Tell(const std::string& tenant, const Count& count) {
  if (count.account->tenant() == tenant) count.account->stored_bytes.Set(count.found + count.made);
}

}  // namespace aaren::registrar
