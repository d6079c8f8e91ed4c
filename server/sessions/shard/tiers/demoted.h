#ifndef AAREN_SERVER_SESSIONS_SHARD_TIERS_DEMOTED_H_
#define AAREN_SERVER_SESSIONS_SHARD_TIERS_DEMOTED_H_

// A Demoted is a shard's memory of an open session with the row in the store only: the terms of the stream's Open, and
// the position in the series. The store's record has the rest, and comes back with the row. A shard may have millions,
// so each Demoted is one cell of a pool, with the key behind the members.
//
// The DemotedTable finds a Demoted by key, and a stream's HandleTable by handle. A session with an id of up to 12 bytes
// costs 72 bytes here, 8 to 10 in the handle table, and some 12 in the DemotedTable.
//
// Threading: belongs to one shard.

#include <cstddef>
#include <cstdint>

#include "absl/container/btree_set.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "server/machine/memory/memory_budget.h"
#include "server/sessions/session/session.h"
#include "server/sessions/shard/tiers/cell_pool.h"

namespace aaren::shard {

struct Demoted : session::Binding {
  // True if the session fits into a Demoted.
  static bool CanHold(const session::Session& session);

  uint64_t durable_seq() const { return seq - undurable; }
  uint64_t told_durable_seq() const { return every_token ? seq : durable_seq(); }  // like Session::told_durable_seq
  absl::string_view key() const;
  size_t bytes() const;  // the cell's bytes

  // The client has all replies below `delivered_seq` for good. The session's last save may become durable.
  void OnDelivered(uint64_t delivered_seq);

  // Puts everything back into the session. The caller binds handle and stream.
  void Restore(session::Session& session) const;

  bool refusing : 1;
  bool tracks_delivery : 1;
  bool regular_times : 1;  // start and step lie before the key
  bool every_token : 1;    // otherwise INTERVAL: a session with NONE is never demoted
  bool promoting : 1;      // the row is on its way back
  uint16_t key_bytes;
  session::Handle handle;
  queue::Attachment* stream;
  const task::OutputPlan* plan;  // acquired
  uint64_t epoch;
  uint64_t seq;         // also of the newest save
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
  // The memory is taken from `budget`; null: no limit. `budget` outlives the table.
  explicit DemotedTable(memory::MemoryBudget* budget = nullptr) : budget_(budget) {}
  ~DemotedTable();

  // Remembers the session, even beyond the budget: the caller frees the row next. REQUIRES: a stream has the session,
  // CanHold is true, and the key is not in the table.
  Demoted& Add(const session::Session& session);
  void Remove(Demoted& demoted);

  Demoted* Find(absl::string_view key) const;  // null: not here
  size_t size() const { return by_key_.size(); }

  // Visits the keys with `prefix` behind `after`, in order, for as long as `visit` is true.
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

#endif  // AAREN_SERVER_SESSIONS_SHARD_TIERS_DEMOTED_H_
