#include "server/registrar/registrar.h"

#include <utility>

#include "server/registrar/open/open_check.h"
#include "server/session/refusal.h"

namespace aaren::registrar {

Registrar::Registrar(store::StateStore& store, const models::ModelTable& models, const session::Clock& clock,
                     size_t transit_bytes, absl::Duration patience)
    : desk_(store, models, clock, transit_bytes, patience) {}

Registrar::~Registrar() = default;

void Registrar::Start() { desk_.Start(); }
bool Registrar::Drain(size_t at_most) { return desk_.Drain(at_most); }
void Registrar::AddShard(SessionOwner& shard) { desk_.AddShard(shard); }

const store::StoreHealth& Registrar::store_health() const { return desk_.health(); }
size_t Registrar::transit_bytes() const { return desk_.transit().bytes(); }

void Registrar::Open(std::shared_ptr<const OpenCall> call) { desk_.Open(std::move(call)); }
void Registrar::Save(int shard, std::vector<store::SaveWrite> writes) { desk_.Save(shard, std::move(writes)); }
void Registrar::Released(std::string key) { desk_.Released(std::move(key)); }
void Registrar::Promote(std::shared_ptr<const PromoteCall> call) { desk_.Promote(std::move(call)); }
void Registrar::Delete(std::string key, DropCondition condition, Deleted done) {
  desk_.Delete(std::move(key), condition, std::move(done));
}
void Registrar::Sweep(absl::Duration ttl) { desk_.Sweep(ttl); }
void Registrar::WatchStore() { desk_.WatchStore(); }

void Registrar::Get(std::string tenant, std::string id, Callback<session::SessionInfo> done) {
  if (auto refusal = CheckSessionId("session_id", id)) return done(session::Refused<session::SessionInfo>(*refusal));
  desk_.Post([this, key = session::SessionKey(tenant, id), done = std::move(done)]() mutable {
    desk_.Get(key, std::move(done));
  });
}

void Registrar::Export(std::string tenant, std::string id, Callback<Snapshot> done) {
  if (auto refusal = CheckSessionId("session_id", id)) return done(session::Refused<Snapshot>(*refusal));
  desk_.Post([this, key = session::SessionKey(tenant, id), done = std::move(done)]() mutable {
    desk_.Export(key, std::move(done));
  });
}

void Registrar::Import(std::string tenant, std::string id, ImportRequest request, Callback<session::SessionInfo> done) {
  if (auto refusal = CheckSessionId("session_id", id)) return done(session::Refused<session::SessionInfo>(*refusal));
  desk_.Post([this, key = session::SessionKey(tenant, id), request = std::move(request),
              done = std::move(done)]() mutable { desk_.Import(key, std::move(request), std::move(done)); });
}

void Registrar::Fork(std::string tenant, std::string id, std::string new_id, identity::Account* account,
                     Callback<session::SessionInfo> done) {
  if (auto refusal = CheckSessionId("session_id", id)) return done(session::Refused<session::SessionInfo>(*refusal));
  if (auto refusal = CheckSessionId("new_session_id", new_id)) {
    return done(session::Refused<session::SessionInfo>(*refusal));
  }
  desk_.Post([this, key = session::SessionKey(tenant, id), new_key = session::SessionKey(tenant, new_id), account,
              done = std::move(done)]() mutable { desk_.Fork(key, new_key, account, std::move(done)); });
}

void Registrar::Delete(std::string tenant, std::string id, std::optional<uint64_t> epoch,
                       Callback<std::monostate> done) {
  if (auto refusal = CheckSessionId("session_id", id)) return done(session::Refused<std::monostate>(*refusal));
  desk_.Delete(session::SessionKey(tenant, id), {epoch, {}}, std::move(done));
}

void Registrar::Evict(std::string tenant, std::string id, Callback<std::monostate> done) {
  if (auto refusal = CheckSessionId("session_id", id)) return done(session::Refused<std::monostate>(*refusal));
  desk_.Post([this, key = session::SessionKey(tenant, id), done = std::move(done)]() mutable {
    desk_.Submit(key,
                 [this, done = std::move(done)](Desk::Entry& entry) mutable { desk_.Evict(entry, std::move(done)); });
  });
}

}  // namespace aaren::registrar
