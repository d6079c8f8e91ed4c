#ifndef AAREN_SERVER_SESSIONS_REGISTRAR_REGISTRAR_H_
#define AAREN_SERVER_SESSIONS_REGISTRAR_REGISTRAR_H_

// The Registrar knows which shard owns each session, and nobody else talks to the store. Shards ask the registrar as a
// Directory, callers of unary methods as Sessions. Operations on a session are done in the order of the requests.
// Operations on different sessions do not wait for each other's shards. The hot path (tokens) never comes here.
//
// For a session in a shard, the registrar forwards the operation to the shard and waits for the answer before the next
// operation on the session begins. For a session at rest the registrar works on the store's record. So an Open that
// moves a session between shards, a Delete that fences a writer and an Export all see one consistent state.
//
// Threading: any thread may call any method, apart from AddShard and Start. Callbacks run on the registrar's thread or
// on a shard's and must not block.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/time/time.h"
#include "server/sessions/models/model_table.h"
#include "server/sessions/registrar/desk.h"
#include "server/sessions/registrar/directory.h"
#include "server/sessions/registrar/owner.h"
#include "server/sessions/registrar/sessions.h"
#include "server/sessions/session/clock.h"
#include "server/store/store.h"
#include "server/store/store_health.h"

namespace aaren::registrar {

class Registrar final : public Sessions, public Directory {
 public:
  // The references outlive this. `transit_bytes`: the room for rows on their way from the store, between shards and to
  // clients. `patience`: a store that has not answered a call for so long counts as away.
  Registrar(store::StateStore& store, const models::ModelTable& models, const session::Clock& clock,
            size_t transit_bytes = 64 << 20, absl::Duration patience = absl::Seconds(10));
  // Stops the thread after all requests are done, but for operations that wait for a shard's answer: the destructor
  // drops these. REQUIRES: the shards still exist (their threads may have ended), or never opened anything.
  ~Registrar() override;

  // Starts the thread. Without a thread the owner of the registrar calls Drain, as a simulation does.
  void Start();

  // Handles the oldest requests, `at_most` messages. True if there were any.
  bool Drain(size_t at_most);

  // REQUIRES: before any session is opened. Shards outlive the registrar's work.
  void AddShard(SessionOwner& shard);

  // The bytes of rows on their way now. Any thread.
  size_t transit_bytes() const;

  // Says if the store answers. Any thread.
  const store::StoreHealth& store_health() const;

  // Sessions.
  void Get(std::string tenant, std::string id, Callback<session::SessionInfo> done) override;
  void List(std::string tenant, std::string prefix, std::string page_token, size_t page_size,
            Callback<SessionPage> done) override;
  void NextTenant(std::optional<std::string> after, Callback<std::optional<std::string>> done) override;
  void ListHere(std::string tenant, std::string page_token, size_t page_size, Callback<HerePage> done) override;
  void Export(std::string tenant, std::string id, Callback<Snapshot> done) override;
  void Import(std::string tenant, std::string id, ImportRequest request, Callback<session::SessionInfo> done) override;
  void Fork(std::string tenant, std::string id, std::string new_id, identity::Account* account,
            Callback<session::SessionInfo> done) override;
  void Delete(std::string tenant, std::string id, std::optional<uint64_t> epoch,
              Callback<std::monostate> done) override;
  void Evict(std::string tenant, std::string id, Callback<std::monostate> done) override;

  // Directory.
  void Open(std::shared_ptr<const OpenCall> call) override;
  void Save(int shard, std::vector<store::SaveWrite> writes) override;
  void Released(std::string key) override;
  void Promote(std::shared_ptr<const PromoteCall> call) override;
  void Delete(std::string key, DropCondition condition, Deleted done) override;
  void Sweep(absl::Duration ttl) override;
  void WatchStore() override;

 private:
  bool watching_ = false;  // a call of WatchStore is under way; the thread's only
  Desk desk_;
};

}  // namespace aaren::registrar

#endif  // AAREN_SERVER_SESSIONS_REGISTRAR_REGISTRAR_H_
