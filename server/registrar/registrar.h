#ifndef AAREN_SERVER_REGISTRAR_REGISTRAR_H_
#define AAREN_SERVER_REGISTRAR_REGISTRAR_H_

// The Registrar knows which shard owns each session and is the only one that talks to the store. It is a mailbox and,
// once started, the thread that drains it. Operations on one session are done one after another, in the order they were
// asked for. Operations on different sessions do not wait for one another's shards. The hot path (tokens) never comes
// here.
//
// For a session that a shard holds, the registrar forwards the operation to that shard and waits for its answer before
// it begins the next one on the same session. For one at rest it works on the store's record. So an Open that moves a
// session between shards, a Delete that fences a writer and an Export all see one consistent state.
//
// Threading: any thread may call any method. Callbacks run on the registrar's thread or on a shard's: they must not
// block.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/time/time.h"
#include "server/models/model_table.h"
#include "server/session/clock.h"
#include "server/session/peer.h"
#include "server/session/session_info.h"
#include "server/store/store.h"
#include "server/store/store_health.h"

namespace aaren::shard {
class SessionShard;
}  // namespace aaren::shard

namespace aaren::registrar {

class SessionOwner;  // server/registrar/owner.h

struct SessionPage {
  std::vector<session::SessionInfo> sessions;
  std::string next_page_token;
};

// A session that is in this server's memory, or whose handle is.
struct SessionHere {
  session::SessionInfo info = {};  // of one that is demoted without incarnation and last_active
  int shard = 0;
  uint64_t queued_tokens = 0;  // that wait to be stepped
  bool stalled = false;        // its stream waits until the store has taken what it has
};

struct HerePage {
  std::vector<SessionHere> sessions;
  std::string next_page_token;
};

struct Snapshot {
  std::string bytes;
  uint64_t next_seq = 0;
};

// In whose place a session is put.
struct Replacing {
  bool replace = false;                  // of one that has the id already
  std::optional<uint64_t> epoch;         // and only if it still has this one
  identity::Account* account = nullptr;  // of the tenant, for a session that is new; null: nobody's
};

struct ImportRequest {
  std::string snapshot;
  std::string model;  // as of an Open: the session goes on with this one; empty: with the snapshot's own
  Replacing over;
};

class Registrar {
 public:
  // All outlive this. `transit_bytes`: what rows on their way from the store, between shards and to clients may hold.
  // `patience`: a store that has not answered a call for so long is away.
  Registrar(store::StateStore& store, const models::ModelTable& models, const session::Clock& clock,
            size_t transit_bytes = 64 << 20, absl::Duration patience = absl::Seconds(10));
  // Stops its thread after everything asked for is done, but for what waits for a shard's answer: that is dropped.
  // REQUIRES: the shards are still there (their threads may have ended), or never opened anything.
  ~Registrar();

  // Starts the thread. Without it, whoever has the registrar calls Drain, as a simulation does.
  void Start();

  // Does the oldest part of what was asked for, `at_most` messages. True if there was anything.
  bool Drain(size_t at_most);

  // REQUIRES: before any session is opened. Shards outlive the registrar's work.
  void AddShard(SessionOwner& shard);

  // What rows on their way hold now. Any thread.
  size_t transit_bytes() const;

  // Whether the store answers. Any thread.
  const store::StoreHealth& store_health() const;

  template <typename T>
  using Callback = absl::AnyInvocable<void(session::Outcome<T>)>;

  void Get(std::string tenant, std::string id, Callback<session::SessionInfo> done);
  void List(std::string tenant, std::string prefix, std::string page_token, size_t page_size,
            Callback<SessionPage> done);
  // Those of a tenant that are here, in order of id, without a look at the store. A page is 1 .. 200 sessions, which is
  // a fraction of a millisecond of each shard's time. InvalidField for another size, or a token of another list.
  void ListHere(std::string tenant, std::string page_token, size_t page_size, Callback<HerePage> done);
  void Export(std::string tenant, std::string id, Callback<Snapshot> done);
  void Import(std::string tenant, std::string id, ImportRequest request, Callback<session::SessionInfo> done);
  // `account`: of the tenant, as in Replacing.
  void Fork(std::string tenant, std::string id, std::string new_id, identity::Account* account,
            Callback<session::SessionInfo> done);
  // With `epoch`, only a session that still has it.
  void Delete(std::string tenant, std::string id, std::optional<uint64_t> epoch, Callback<std::monostate> done);
  void Evict(std::string tenant, std::string id, Callback<std::monostate> done);

  class Impl;  // server/registrar/registrar_impl.h

 private:
  friend class shard::SessionShard;
  std::unique_ptr<Impl> impl_;
};

}  // namespace aaren::registrar

#endif  // AAREN_SERVER_REGISTRAR_REGISTRAR_H_
