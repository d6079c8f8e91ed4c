#ifndef AAREN_SERVER_SESSIONS_QUEUE_ATTACHMENT_H_
#define AAREN_SERVER_SESSIONS_QUEUE_ATTACHMENT_H_

// An Attachment is a shard's knowledge of one stream: the meaning of the stream's handles, the tenant, and everything
// that the stream makes the shard hold. Threading: belongs to one shard.

#include <cstddef>
#include <cstdint>

#include "server/identity/accounts/account.h"
#include "server/sessions/queue/flow.h"
#include "server/sessions/queue/handle_table.h"
#include "server/sessions/queue/line.h"
#include "server/sessions/session/peer.h"

namespace aaren::queue {

struct TenantLine;  // server/sessions/queue/tenant_line.h

// Bytes that a stream makes the shard hold.
struct StreamBytes {
  size_t queued = 0;    // flows
  size_t aside = 0;     // flows set aside
  size_t deferred = 0;  // tokens behind Opens and promotions
  size_t held = 0;      // replies waiting for saves, with the replies that a step under way will hold
};

struct Attachment : session::PeerNotes {
  Attachment(session::Peer& p, TenantLine& t) : peer(p), account(p.account), tenant(t) {}
  ~Attachment() {
    if (account != nullptr) account->sessions.Give(counted);
  }
  Attachment(const Attachment&) = delete;
  Attachment& operator=(const Attachment&) = delete;

  size_t open_handles() const { return handles.size() - refused; }

  // The handle stands for `binding` from now on.
  void Bind(session::Handle handle, session::Binding* binding) {
    handles.Set(handle, binding);
    Recount();
  }
  void Unbind(session::Handle handle) {
    handles.Erase(handle);
    Recount();
  }

  // Takes a place among the sessions of the tenant, for one more session. The next Bind or Unbind that opens no session
  // gives the place back.
  bool TakePlace() {
    if (account != nullptr && !account->sessions.TryTake()) return false;
    ++counted;
    return true;
  }

  session::Peer& peer;
  identity::Account* const account;  // null: the server has no list of callers
  TenantLine& tenant;
  HandleTable handles;    // changed by Bind and Unbind only
  size_t counted = 0;     // open handles, as the account has them
  size_t refused = 0;     // handles whose items are dropped, after a refused Open or a lost session
  size_t openings = 0;    // Opens under way
  size_t closings = 0;    // deleting Closes under way
  size_t promotions = 0;  // under way
  StreamBytes bytes;
  StalledFlows stalled;

  // The streams of a tenant take turns, and the sessions of a stream: see Turns.
  enum class Turn : uint8_t { kNone, kNew, kOld };
  Turn turn = Turn::kNone;
  int64_t deficit = 0;             // units of work left of the stream's turn
  Line<Flow> flows;                // in the order of their turns
  Attachment* previous = nullptr;  // in the line that `turn` names
  Attachment* next = nullptr;

 private:
  void Recount() {
    const size_t open = open_handles();
    if (account != nullptr && open < counted) account->sessions.Give(counted - open);
    if (account != nullptr && open > counted) account->sessions.Add(open - counted);
    counted = open;
  }
};

}  // namespace aaren::queue

#endif  // AAREN_SERVER_SESSIONS_QUEUE_ATTACHMENT_H_
