#ifndef AAREN_SERVER_SESSIONS_REGISTRAR_SESSIONS_H_
#define AAREN_SERVER_SESSIONS_REGISTRAR_SESSIONS_H_

// Sessions is the registrar as callers of unary methods see the registrar: questions about a tenant's sessions, and
// requests to copy, replace, delete or evict a session.
//
// Threading: any thread may call any method. Callbacks run on the registrar's thread or on a shard's and must not
// block.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "server/sessions/session/peer.h"
#include "server/sessions/session/session_info.h"

namespace aaren::registrar {

struct SessionPage {
  std::vector<session::SessionInfo> sessions;
  std::string next_page_token;
};

// A session with its row, or only its handle, in this server's memory.
struct SessionHere {
  session::SessionInfo info = {};  // a demoted session's has no incarnation and last_active
  int shard = 0;
  uint64_t queued_tokens = 0;  // waiting to be stepped
  bool stalled = false;        // the stream waits until the store has taken earlier tokens
};

struct HerePage {
  std::vector<SessionHere> sessions;
  std::string next_page_token;
};

struct Snapshot {
  std::string bytes;
  uint64_t next_seq = 0;
};

// The session whose place a new session takes.
struct Replacing {
  bool replace = false;                  // an existing session with the id is replaced
  std::optional<uint64_t> epoch;         // and only with this epoch
  identity::Account* account = nullptr;  // the tenant's, for a session that is new; null: no account counts the session
};

struct ImportRequest {
  std::string snapshot;
  std::string model;  // the session goes on with the model, named like an Open's; empty: with the snapshot's own
  Replacing over;
};

class Sessions {
 public:
  virtual ~Sessions() = default;

  template <typename T>
  using Callback = absl::AnyInvocable<void(session::Outcome<T>)>;

  virtual void Get(std::string tenant, std::string id, Callback<session::SessionInfo> done) = 0;
  virtual void List(std::string tenant, std::string prefix, std::string page_token, size_t page_size,
                    Callback<SessionPage> done) = 0;

  // The first tenant behind `after` that has a session, here or in the store; none behind the last tenant. Without
  // `after`: the first of all. Tenants are in the order of their sessions' keys.
  virtual void NextTenant(std::optional<std::string> after, Callback<std::optional<std::string>> done) = 0;

  // The tenant's sessions here, in order of id, without a look at the store. A page is 1 .. 200 sessions, a fraction of
  // a millisecond of each shard's time. InvalidField for another size, or for the token of another list.
  virtual void ListHere(std::string tenant, std::string page_token, size_t page_size, Callback<HerePage> done) = 0;

  virtual void Export(std::string tenant, std::string id, Callback<Snapshot> done) = 0;
  virtual void Import(std::string tenant, std::string id, ImportRequest request,
                      Callback<session::SessionInfo> done) = 0;

  // `account`: the tenant's, as in Replacing.
  virtual void Fork(std::string tenant, std::string id, std::string new_id, identity::Account* account,
                    Callback<session::SessionInfo> done) = 0;

  // With `epoch`, only a session that still has this epoch.
  virtual void Delete(std::string tenant, std::string id, std::optional<uint64_t> epoch,
                      Callback<std::monostate> done) = 0;
  virtual void Evict(std::string tenant, std::string id, Callback<std::monostate> done) = 0;
};

}  // namespace aaren::registrar

#endif  // AAREN_SERVER_SESSIONS_REGISTRAR_SESSIONS_H_
