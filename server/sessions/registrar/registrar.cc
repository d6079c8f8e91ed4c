#include "server/sessions/registrar/registrar.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "server/sessions/registrar/list/page_token.h"
#include "server/sessions/registrar/open/open_check.h"
#include "server/sessions/registrar/operations.h"
#include "server/sessions/session/refusal.h"

namespace aaren::registrar {
namespace {

constexpr size_t kMaxPage = 1000, kDefaultPage = 100;  // sessions of a list
constexpr size_t kMaxPageHere = 200;                   // a fraction of a millisecond of each shard's time

// The page begins behind the returned key. Without a key `done` was called with a refusal.
template <typename Page>
std::optional<std::string> PlaceOf(const std::string& prefix, const std::string& page_token,
                                   Sessions::Callback<Page>& done) {
  std::optional<std::string> after = page_token.empty() ? std::string() : DecodePageToken(prefix, page_token);
  if (!after) {
    done(session::Refused<Page>(session::InvalidField("page_token", "this server did not give it out for this list")));
  }
  return after;
}

}  // namespace

Registrar::Registrar(store::StateStore& store, const models::ModelTable& models, const session::Clock& clock,
                     size_t transit_bytes, absl::Duration patience)
    : desk_(store, models, clock, transit_bytes, patience) {}

Registrar::~Registrar() = default;

void Registrar::Start() { desk_.mail.Start(); }
bool Registrar::Drain(size_t at_most) { return desk_.mail.Drain(at_most); }
void Registrar::AddShard(SessionOwner& shard) { desk_.shards.Add(shard); }

const store::StoreHealth& Registrar::store_health() const { return desk_.store.health(); }
size_t Registrar::transit_bytes() const { return desk_.transit.bytes(); }

void Registrar::Get(std::string tenant, std::string id, Callback<session::SessionInfo> done) {
  if (auto refusal = CheckSessionId("session_id", id)) return done(session::Refused<session::SessionInfo>(*refusal));
  desk_.mail.Post([this, key = session::SessionKey(tenant, id), done = std::move(done)]() mutable {
    registrar::Get(desk_, key, std::move(done));
  });
}

void Registrar::List(std::string tenant, std::string prefix, std::string page_token, size_t page_size,
                     Callback<SessionPage> done) {
  const std::string keys = session::SessionKey(tenant, prefix);
  const std::optional<std::string> after = PlaceOf(keys, page_token, done);
  if (!after) return;
  if (page_size > kMaxPage) {
    const std::string problem = absl::StrCat(page_size, ", the limit is ", kMaxPage);
    return done(session::Refused<SessionPage>(session::InvalidField("page_size", problem)));
  }
  if (page_size == 0) page_size = kDefaultPage;
  desk_.mail.PostPage([this, keys, after = *after, page_size, done = std::move(done)]() mutable {
    registrar::List(desk_, keys, after, page_size, std::move(done));
  });
}

void Registrar::NextTenant(std::optional<std::string> after, Callback<std::optional<std::string>> done) {
  desk_.mail.PostPage([this, after = std::move(after), done = std::move(done)]() mutable {
    registrar::NextTenant(desk_, after, std::move(done));
  });
}

void Registrar::ListHere(std::string tenant, std::string page_token, size_t page_size, Callback<HerePage> done) {
  const std::string keys = session::SessionKey(tenant, "");
  const std::optional<std::string> after = PlaceOf(keys, page_token, done);
  if (!after) return;
  if (page_size < 1 || page_size > kMaxPageHere) {
    const std::string problem = absl::StrCat(page_size, " is not within 1 .. ", kMaxPageHere);
    return done(session::Refused<HerePage>(session::InvalidField("page_size", problem)));
  }
  desk_.mail.PostPage([this, keys, after = *after, page_size, done = std::move(done)]() mutable {
    registrar::ListHere(desk_, keys, after, page_size, std::move(done));
  });
}

void Registrar::Export(std::string tenant, std::string id, Callback<Snapshot> done) {
  if (auto refusal = CheckSessionId("session_id", id)) return done(session::Refused<Snapshot>(*refusal));
  desk_.mail.Post([this, key = session::SessionKey(tenant, id), done = std::move(done)]() mutable {
    registrar::Export(desk_, key, std::move(done));
  });
}

void Registrar::Import(std::string tenant, std::string id, ImportRequest request, Callback<session::SessionInfo> done) {
  if (auto refusal = CheckSessionId("session_id", id)) return done(session::Refused<session::SessionInfo>(*refusal));
  desk_.mail.Post(
      [this, key = session::SessionKey(tenant, id), request = std::move(request), done = std::move(done)]() mutable {
        registrar::Import(desk_, key, std::move(request), std::move(done));
      });
}

void Registrar::Fork(std::string tenant, std::string id, std::string new_id, identity::Account* account,
                     Callback<session::SessionInfo> done) {
  if (auto refusal = CheckSessionId("session_id", id)) return done(session::Refused<session::SessionInfo>(*refusal));
  if (auto refusal = CheckSessionId("new_session_id", new_id)) {
    return done(session::Refused<session::SessionInfo>(*refusal));
  }
  desk_.mail.Post(
      [this, key = session::SessionKey(tenant, id), new_key = session::SessionKey(tenant, new_id), account,
       done = std::move(done)]() mutable { registrar::Fork(desk_, key, new_key, account, std::move(done)); });
}

void Registrar::Delete(std::string tenant, std::string id, std::optional<uint64_t> epoch,
                       Callback<std::monostate> done) {
  if (auto refusal = CheckSessionId("session_id", id)) return done(session::Refused<std::monostate>(*refusal));
  Delete(session::SessionKey(tenant, id), {epoch, {}}, std::move(done));
}

void Registrar::Evict(std::string tenant, std::string id, Callback<std::monostate> done) {
  if (auto refusal = CheckSessionId("session_id", id)) return done(session::Refused<std::monostate>(*refusal));
  desk_.mail.Post([this, key = session::SessionKey(tenant, id), done = std::move(done)]() mutable {
    registrar::Evict(desk_, key, std::move(done));
  });
}

void Registrar::Open(std::shared_ptr<const OpenCall> call) {
  desk_.mail.Post([this, call = std::move(call)] {
    desk_.owners.Submit(call->key, [this, call](Entry& entry) { RunOpen(desk_, entry, call); });
  });
}

void Registrar::Save(int shard, std::vector<store::SaveWrite> writes) {
  desk_.mail.Post(
      [this, shard, writes = std::move(writes)]() mutable { desk_.records.Save(shard, std::move(writes)); });
}

void Registrar::Released(std::string key) {
  desk_.mail.Post([this, key = std::move(key)] { desk_.owners.Release(key); });
}

void Registrar::Promote(std::shared_ptr<const PromoteCall> call) {
  desk_.mail.Post([this, call = std::move(call)] { registrar::Promote(desk_, call); });
}

void Registrar::Delete(std::string key, DropCondition condition, Deleted done) {
  desk_.mail.Post([this, key = std::move(key), condition, done = std::move(done)]() mutable {
    registrar::Delete(desk_, key, condition, std::move(done));
  });
}

void Registrar::Sweep(absl::Duration ttl) {
  desk_.mail.Post([this, ttl] { desk_.sweep.Begin(ttl); });
}

// A shared store may go away by another's doing, so the registrar asks for a sign of life also without use. Use shows
// the health of stores without sharing.
void Registrar::WatchStore() {
  desk_.mail.Post([this] {
    desk_.store.Look();
    desk_.stored.Refresh();
    const bool shown = desk_.store.health().available() && !desk_.store.shared();
    if (watching_ || shown || desk_.mail.leaving()) return;
    watching_ = true;
    desk_.store.TryWrite(desk_.mail.Back<absl::Status>([this](const absl::Status&) { watching_ = false; }));
  });
}

}  // namespace aaren::registrar
