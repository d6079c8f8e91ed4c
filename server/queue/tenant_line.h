#ifndef AAREN_SERVER_QUEUE_TENANT_LINE_H_
#define AAREN_SERVER_QUEUE_TENANT_LINE_H_

// A TenantLine is what a shard knows of one tenant: which of its streams have turns, and what they make the shard hold.
// Without a list of callers there is one, of everybody. It stays where it is once it is made.
//
// Threading: belongs to one shard; what it counts is read by anybody.

#include <cstddef>
#include <cstdint>

#include "server/counters/counter.h"
#include "server/identity/accounts/account.h"
#include "server/queue/attachment.h"
#include "server/queue/line.h"

namespace aaren::queue {

struct TenantLine {
  explicit TenantLine(identity::Account* a) : account(a), answered(a != nullptr ? a->AddCounter() : unnamed) {}

  bool has_streams() const { return !new_streams.empty() || !old_streams.empty(); }
  int64_t weight() const { return account != nullptr ? account->weight() : 1; }
  Line<Attachment>& LineOf(Attachment::Turn turn) { return turn == Attachment::Turn::kNew ? new_streams : old_streams; }

  identity::Account* const account;  // null: of everybody
  counters::Counter unnamed;
  counters::Counter& answered;  // tokens
  size_t bytes = 0;             // of its streams, that wait
  size_t pending = 0;           // Opens and Closes that delete, under way

  // Its streams take turns when it has one itself: see TokenQueue.
  Line<Attachment> new_streams, old_streams;
  bool in_line = false;  // of the tenants that have turns
  double pass = 0;       // units that it has used, by its weight: who has the least is next
  int64_t left = 0;      // of its turn, in units of work
};

}  // namespace aaren::queue

#endif  // AAREN_SERVER_QUEUE_TENANT_LINE_H_
