#ifndef AAREN_SERVER_SHARD_TIERS_DEMOTED_H_
#define AAREN_SERVER_SHARD_TIERS_DEMOTED_H_

// A Demoted is what a shard remembers of a session whose row has gone to the store while its stream holds the handle.
// That is what the stream agreed on with its Open, and where the session stood. The rest is in the store's record, and
// comes back with the row. There may be millions, so each is one cell of a pool, its key behind it.
//
// The DemotedTable finds them by key; a stream's HandleTable finds them by handle. A session with an id of up to 12
// bytes costs 72 bytes here, 8 to 10 of its stream's handles, and some 12 of the table's.
//
// Threading: belongs to one shard.

#include <cstddef>
#include <cstdint>

#include "absl/container/btree_set.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "server/memory/memory_budget.h"
#include "server/session/session.h"
#include "server/shard/tiers/cell_pool.h"

namespace aaren::shard {

struct Demoted : session::Binding {
  // Whether what it must remember of the session fits.
  static bool CanHold(const session::Session& session);

  uint64_t durable_seq() const { return seq - undurable; }
  uint64_t told_durable_seq() const { return every_token ? seq : durable_seq(); }  // as Session's
  absl::string_view key() const;
  size_t bytes() const;  // of its cell

  // The client tells how far it has its replies for good. The save that the session rests on may be durable now.
  void OnDelivered(uint64_t delivered_seq);

  // Puts back what it remembers; its handle and stream are the caller's to bind.
  void Restore(session::Session& session) const;

  bool refusing : 1;
  bool tracks_delivery : 1;
  bool regular_times : 1;  // two numbers of 64 bits lie before the key
  bool every_token : 1;    // its durability; else INTERVAL, as one of NONE is never demoted
  bool promoting : 1;      // its row is on its way back
  uint16_t key_bytes;
  session::Handle handle;
  queue::Attachment* stream;
  const task::OutputPlan* plan;  // acquired
  uint64_t epoch;
  uint64_t seq;         // of the newest save, too
  uint32_t undurable;   // seq less durable_seq
  int32_t undelivered;  // seq less delivered_seq
  uint16_t model;       // LoadedModel::index
  uint16_t channels;

 private:
  friend class DemotedTable;
  explicit Demoted(const session::Session& session);
  static size_t BytesFor(const session::Session& session);
  char* tail();
  const char* tail() const;
};

class DemotedTable {
 public:
  // What it remembers is taken from `budget`, which outlives this; null: no limit.
  explicit DemotedTable(memory::MemoryBudget* budget = nullptr) : budget_(budget) {}
  ~DemotedTable();

  // What is remembered of the session, whatever the budget has left: its row is freed next. REQUIRES: it is attached,
  // CanHold holds, and its key is not in the table.
  Demoted& Add(const session::Session& session);
  void Remove(Demoted& demoted);

  Demoted* Find(absl::string_view key) const;  // null: it is not here
  size_t size() const { return by_key_.size(); }

  // Visits those whose keys begin with `prefix` and come behind `after`, in order, for as long as `visit` is true.
  template <typename Visit>
  void ForEachBehind(absl::string_view prefix, absl::string_view after, Visit visit) const {
    auto next = after < prefix ? by_key_.lower_bound(prefix) : by_key_.upper_bound(after);
    while (next != by_key_.end() && absl::StartsWith((*next)->key(), prefix) && visit(**next)) ++next;
  }

 private:
  struct InOrder {
    using is_transparent = void;
    static absl::string_view Of(const Demoted* demoted) { return demoted->key(); }
    static absl::string_view Of(absl::string_view key) { return key; }
    template <typename A, typename B>
    bool operator()(const A& a, const B& b) const {
      return Of(a) < Of(b);
    }
  };

  memory::MemoryBudget* const budget_;
  CellPool cells_;
  absl::btree_set<Demoted*, InOrder> by_key_;
};

}  // namespace aaren::shard

#endif  // AAREN_SERVER_SHARD_TIERS_DEMOTED_H_
