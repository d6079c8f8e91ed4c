#ifndef AAREN_SERVER_SESSIONS_REGISTRAR_OWNER_TABLE_H_
#define AAREN_SERVER_SESSIONS_REGISTRAR_OWNER_TABLE_H_

// The OwnerTable knows each session's shard, and does the operations on a session one after another. An operation is a
// chain of callbacks; meanwhile the session's entry is busy, and later operations wait in the entry, without a wait for
// further sessions.
//
// An entry exists while a shard has the session or an operation is under way. A session at rest is in the store only.
//
// Threading: belongs to the registrar's thread.

#include <deque>
#include <memory>
#include <string>

#include "absl/container/btree_set.h"
#include "absl/functional/any_invocable.h"
#include "absl/strings/string_view.h"
#include "server/sessions/registrar/mail.h"
#include "server/sessions/session/table/compact_key.h"

namespace aaren::registrar {

inline constexpr int kAtRest = -1;

// Stays in place in memory while the entry is busy or a shard has the session.
struct Entry {
  using Operation = absl::AnyInvocable<void(Entry&)>;

  std::string name() const { return std::string(key.view()); }

  session::CompactKey key;
  int owner = kAtRest;                             // a shard, or kAtRest
  std::unique_ptr<std::deque<Operation>> waiting;  // null: no operation under way
};

class OwnerTable {
 public:
  // In the order of the keys: a page of a list is found without a look at earlier entries.
  struct InOrder {
    using is_transparent = void;
    static absl::string_view Of(const std::unique_ptr<Entry>& entry) { return entry->key.view(); }
    static absl::string_view Of(absl::string_view key) { return key; }
    template <typename A, typename B>
    bool operator()(const A& a, const B& b) const {
      return Of(a) < Of(b);
    }
  };
  using Entries = absl::btree_set<std::unique_ptr<Entry>, InOrder>;

  // `mail` outlives the OwnerTable.
  explicit OwnerTable(Mail& mail) : mail_(mail) {}

  // Does the operation once the earlier operations on the session are done. The operation must call Finish.
  void Submit(const std::string& key, Entry::Operation operation);
  void Finish(Entry& entry);

  // True while an operation on the session is under way.
  bool IsBusy(const std::string& key) const;

  // The shard no longer has the session.
  void Release(const std::string& key);

  // True for a session in a shard, or with an operation under way.
  bool Contains(absl::string_view key) const { return entries_.contains(key); }

  const Entries& entries() const { return entries_; }

 private:
  Mail& mail_;
  Entries entries_;
};

}  // namespace aaren::registrar

#endif  // AAREN_SERVER_SESSIONS_REGISTRAR_OWNER_TABLE_H_
