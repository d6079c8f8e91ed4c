#ifndef AAREN_SERVER_SESSIONS_REGISTRAR_OPERATIONS_H_
#define AAREN_SERVER_SESSIONS_REGISTRAR_OPERATIONS_H_

// The operations of the registrar. Each is a chain of callbacks that asks shards and the store, and goes on with the
// answers. An operation with an Entry has the session for itself, and ends by OwnerTable::Finish.
//
// Threading: on the registrar's thread.

#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "absl/functional/any_invocable.h"
#include "absl/strings/string_view.h"
#include "server/sessions/registrar/desk.h"
#include "server/sessions/registrar/directory.h"
#include "server/sessions/registrar/owner_table.h"
#include "server/sessions/registrar/sessions.h"
#include "server/sessions/session/session_state.h"

namespace aaren::registrar {

// The id of the entry's session.
inline absl::string_view IdOf(const Entry& entry) { return session::SessionId(entry.key.view()); }

// open/: an Open (open/open_operation.h).
void RunOpen(Desk& desk, Entry& entry, std::shared_ptr<const OpenCall> call);

// stale_copy.cc: a shard lets a session go that another server has opened or deleted since. `then` runs in any case,
// and goes on with the entry's owner.
void DropStaleCopy(Desk& desk, Entry& entry, absl::AnyInvocable<void()> then);

// promotion.cc: the way back of a demoted session.
void Promote(Desk& desk, std::shared_ptr<const PromoteCall> call);

// capture.cc: descriptions and copies.
void Get(Desk& desk, const std::string& key, Sessions::Callback<session::SessionInfo> done);
void Export(Desk& desk, const std::string& key, Sessions::Callback<Snapshot> done);
void Fork(Desk& desk, const std::string& key, const std::string& new_key, identity::Account* account,
          Sessions::Callback<session::SessionInfo> done);

// The state of a session at rest or in a shard. The operation goes on: `done` is to Finish it.
void Capture(Desk& desk, Entry& entry, Sessions::Callback<session::SessionState> done);

// place.cc: sessions made at rest. Import checks the snapshot, and makes the rows anew if another model is wanted.
void Place(Desk& desk, const std::string& key, session::SessionState state, const Replacing& over,
           Sessions::Callback<session::SessionInfo> done);
void Import(Desk& desk, const std::string& key, ImportRequest request, Sessions::Callback<session::SessionInfo> done);

// delete/: ends.
void Delete(Desk& desk, const std::string& key, const DropCondition& condition,
            Sessions::Callback<std::monostate> done);
void Evict(Desk& desk, const std::string& key, Sessions::Callback<std::monostate> done);

// list/: one page. `after`: the last key of the page before.
void List(Desk& desk, const std::string& prefix, const std::string& after, size_t page_size,
          Sessions::Callback<SessionPage> done);
void ListHere(Desk& desk, const std::string& prefix, const std::string& after, size_t page_size,
              Sessions::Callback<HerePage> done);
void NextTenant(Desk& desk, const std::optional<std::string>& after,
                Sessions::Callback<std::optional<std::string>> done);

}  // namespace aaren::registrar

#endif  // AAREN_SERVER_SESSIONS_REGISTRAR_OPERATIONS_H_
