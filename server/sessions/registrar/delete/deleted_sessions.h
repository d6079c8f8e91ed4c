#ifndef AAREN_SERVER_SESSIONS_REGISTRAR_DELETE_DELETED_SESSIONS_H_
#define AAREN_SERVER_SESSIONS_REGISTRAR_DELETE_DELETED_SESSIONS_H_

// DeletedSessions remembers the latest Open of deleted sessions, for the last few thousand deletions. An earlier Open
// of the same writer may be read only now, from a connection that was slow to die, and must not bring an empty session
// back. Threading: belongs to the registrar.

#include <cstddef>
#include <deque>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "server/sessions/session/peer.h"

namespace aaren::registrar {

class DeletedSessions {
 public:
  static constexpr size_t kMost = 4096;

  // `latest`: the session's last Open. An Open without a known writer is not remembered.
  void Add(absl::string_view key, const store::Attempt& latest) {
    if (latest.writer == 0) return;
    const auto [place, added] = latest_.insert_or_assign(std::string(key), latest);
    if (!added) return;
    order_.push_back(place->first);
    if (order_.size() <= kMost) return;
    latest_.erase(order_.front());
    order_.pop_front();
  }

  // True if the Open is from before the deletion.
  bool IsStale(absl::string_view key, const store::Attempt& attempt) const {
    const auto found = latest_.find(key);
    return found != latest_.end() && attempt.IsBehind(found->second);
  }

 private:
  absl::flat_hash_map<std::string, store::Attempt> latest_;
  std::deque<std::string> order_;  // keys, the first deletion first
};

}  // namespace aaren::registrar

#endif  // AAREN_SERVER_SESSIONS_REGISTRAR_DELETE_DELETED_SESSIONS_H_
