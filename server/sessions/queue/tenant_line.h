#ifndef AAREN_SERVER_SESSIONS_QUEUE_TENANT_LINE_H_
#define AAREN_SERVER_SESSIONS_QUEUE_TENANT_LINE_H_

// A TenantLine is a shard's knowledge of one tenant: the streams that have turns, and the bytes that the streams make
// the shard hold. Without a list of callers a single tenant has all streams. A TenantLine stays at its place in memory.
//
// Threading: belongs to one shard; any thread may read the counters.

#include <cstddef>
#include <cstdint>

#include "server/identity/accounts/account.h"
#include "server/operate/counters/counter.h"
#include "server/sessions/queue/attachment.h"
#include "server/sessions/queue/line.h"

namespace aaren::queue {

struct TenantLine {
  explicit TenantLine(identity::Account* a) : account(a), answered(a != nullptr ? a->AddCounter() : unnamed) {}

  bool has_streams() const { return !new_streams.empty() || !old_streams.empty(); }
  int64_t weight() const { return account != nullptr ? account->weight() : 1; }
  Line<Attachment>& LineOf(Attachment::Turn turn) { return turn == Attachment::Turn::kNew ? new_streams : old_streams; }

  identity::Account* const account;  // null: the server has no list of callers
  counters::Counter unnamed;
  counters::Counter& answered;  // tokens
  size_t bytes = 0;             // waiting, of all streams
  size_t pending = 0;           // Opens and deleting Closes under way

  // The streams take turns while the tenant has a turn: see Turns.
  Line<Attachment> new_streams, old_streams;
  bool in_line = false;  // among the tenants that have turns
  double pass = 0;       // used units of work, divided by the weight: the least pass is next
  int64_t left = 0;      // units of work left of the tenant's turn
};

}  // namespace aaren::queue

#endif  // AAREN_SERVER_SESSIONS_QUEUE_TENANT_LINE_H_
