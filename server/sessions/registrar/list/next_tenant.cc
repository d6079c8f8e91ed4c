// Tenants are known by their sessions: the next key behind all keys of a tenant is another tenant's.

#include <utility>
#include <vector>

#include "server/sessions/registrar/operations.h"
#include "server/sessions/session/refusal.h"

namespace aaren::registrar {
namespace {

constexpr char kBehindIds = '/' + 1;  // an id stands behind '/' in a key

}  // namespace

void NextTenant(Desk& desk, const std::optional<std::string>& after,
                Sessions::Callback<std::optional<std::string>> done) {
  using Records = absl::StatusOr<std::vector<store::SessionRecord>>;
  std::string behind = after ? *after + kBehindIds : "";
  auto listed = [&desk, behind, done = std::move(done)](const Records& records) mutable {
    session::Outcome<std::optional<std::string>> next;
    if (!records.ok()) {
      next.refusal = session::StoreRefusal(records.status());
      return done(std::move(next));
    }
    if (!records->empty()) next.value = records->front().key;
    const auto entry = desk.owners.entries().upper_bound(absl::string_view(behind));
    const bool here = entry != desk.owners.entries().end();
    if (here && (!next.value || (*entry)->key.view() < *next.value)) next.value = (*entry)->name();
    if (next.value) next.value->resize(next.value->find('/'));
    done(std::move(next));
  };
  desk.store.List("", std::move(behind), 1, desk.mail.Back<Records>(std::move(listed)));
}

}  // namespace aaren::registrar
