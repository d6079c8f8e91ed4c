#ifndef AAREN_SERVER_SESSIONS_REGISTRAR_DIRECTORY_H_
#define AAREN_SERVER_SESSIONS_REGISTRAR_DIRECTORY_H_

// The Directory is the registrar as a shard sees the registrar: seven requests, and the words in them. The answers come
// back later through the shard's mailbox (server/sessions/registrar/owner.h).
//
// Threading: any thread may call any method; no method blocks.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "server/sessions/session/peer.h"
#include "server/sessions/session/session_state.h"
#include "server/store/store.h"

namespace aaren::registrar {

// An Open under way. The shard finds its own part again by the ticket.
struct OpenCall {
  int shard = 0;
  uint64_t ticket = 0;
  std::string key;  // tenant, '/', id
  session::OpenRequest request;
  identity::Account* account = nullptr;        // the tenant's; null: no account counts the session
  mutable std::atomic<bool> cancelled{false};  // the stream is gone: the Open must not take the session any more

  absl::string_view id() const { return request.session_id; }
};

// The way back of a demoted session from the store, under way. The shard finds its own part again by the ticket.
struct PromoteCall {
  int shard = 0;
  uint64_t ticket = 0;
  std::string key;
  uint64_t epoch = 0;  // the shard's
  uint64_t seq = 0;    // the shard's
  session::Footprint footprint;
  size_t bytes = 0;                            // the rows on the way
  mutable std::atomic<bool> cancelled{false};  // the shard does not wait for the answer any more
};

// The states in which a session may be dropped. Without a value every state will do.
struct DropCondition {
  std::optional<uint64_t> epoch;         // exactly this epoch
  std::optional<absl::Time> idle_since;  // detached, and not used since
};

class Directory {
 public:
  virtual ~Directory() = default;

  // Answered by SessionOwner::Install or RefuseOpen.
  virtual void Open(std::shared_ptr<const OpenCall> call) = 0;

  // Writes the saves to the store. Answered by SessionOwner::SavesDone, with all results at once.
  virtual void Save(int shard, std::vector<store::SaveWrite> writes) = 0;

  // The shard no longer holds the session.
  virtual void Released(std::string key) = 0;

  // Answered by SessionOwner::EndPromotion.
  virtual void Promote(std::shared_ptr<const PromoteCall> call) = 0;

  // Deletes the session from the store, and from the shard that holds the session. `done` runs on any thread.
  using Deleted = absl::AnyInvocable<void(session::Outcome<std::monostate>)>;
  virtual void Delete(std::string key, DropCondition condition, Deleted done) = 0;

  // Deletes the sessions at rest that were not used for `ttl`. Does nothing while an earlier sweep is under way.
  virtual void Sweep(absl::Duration ttl) = 0;

  // Gives up the calls that the store does not answer, and asks the store for a sign of life where one is needed.
  virtual void WatchStore() = 0;
};

}  // namespace aaren::registrar

#endif  // AAREN_SERVER_SESSIONS_REGISTRAR_DIRECTORY_H_
