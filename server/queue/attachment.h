#ifndef AAREN_SERVER_QUEUE_ATTACHMENT_H_
#define AAREN_SERVER_QUEUE_ATTACHMENT_H_

// An Attachment is what a shard knows of one stream: which sessions its handles stand for, whose it is, and what it
// makes the shard hold. Threading: belongs to one shard.

#include <cstddef>
#include <cstdint>

#include "server/identity/accounts/account.h"
#include "server/queue/flow.h"
#include "server/queue/handle_table.h"
#include "server/queue/line.h"
#include "server/session/peer.h"

namespace aaren::queue {

struct TenantLine;  // server/queue/tenant_line.h

struct Attachment : session::PeerNotes {
  Attachment(session::Peer& p, TenantLine& t) : peer(p), account(p.account), tenant(t) {}
  ~Attachment() {
    if (account != nullptr) account->sessions.Give(counted);
  }
  Attachment(const Attachment&) = delete;
  Attachment& operator=(const Attachment&) = delete;

  size_t open_handles() const { return handles.size() - refused; }

  // What the handle stands for from now on.
  void Bind(session::Handle handle, session::Binding* binding) {
    handles.Set(handle, binding);
    Recount();
  }
  void Unbind(session::Handle handle) {
    handles.Erase(handle);
    Recount();
  }

  // A place for one more session among its tenant's. It is given back by the next Bind or Unbind that opens none.
  bool TakePlace() {
    if (account != nullptr && !account->sessions.TryTake()) return false;
    ++counted;
    return true;
  }

  session::Peer& peer;
  identity::Account* const account;  // null: nobody's
  TenantLine& tenant;
  HandleTable handles;        // changed by Bind and Unbind
  size_t counted = 0;         // of its open handles, as its account has them
  size_t refused = 0;         // handles whose items are dropped, since their Open was refused or their session taken
  size_t openings = 0;        // Opens under way
  size_t closings = 0;        // Closes that delete, under way
  size_t promotions = 0;      // under way
  size_t deferred_bytes = 0;  // tokens behind them
  size_t queued_bytes = 0;    // of its flows
  size_t aside_bytes = 0;     // of those that are set aside
  size_t held_bytes = 0;      // of replies that wait for saves, and those that a step under way will make
  StalledFlows stalled;       // that wait for less of them

  // The streams of a tenant take turns, and of a stream its sessions do: see TokenQueue.
  enum class Turn : uint8_t { kNone, kNew, kOld };
  Turn turn = Turn::kNone;
  int64_t deficit = 0;             // what it may still use of its turn, in units of work
  Line<Flow> flows;                // in order of their turns
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

#endif  // AAREN_SERVER_QUEUE_ATTACHMENT_H_
