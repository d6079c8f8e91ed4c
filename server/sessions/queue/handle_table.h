#ifndef AAREN_SERVER_SESSIONS_QUEUE_HANDLE_TABLE_H_
#define AAREN_SERVER_SESSIONS_QUEUE_HANDLE_TABLE_H_

// The HandleTable of a stream knows the binding of each handle. Clients are asked to count handles from 0: low handles
// are found by index, other handles by hash. Threading: belongs to one shard.

#include <cstddef>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "server/sessions/session/session.h"

namespace aaren::queue {

class HandleTable {
 public:
  // Null if the handle is not open.
  session::Binding* Find(session::Handle handle) const {
    if (handle < dense_.size()) return dense_[handle];
    if (sparse_.empty()) return nullptr;
    const auto found = sparse_.find(handle);
    return found == sparse_.end() ? nullptr : found->second;
  }

  void Set(session::Handle handle, session::Binding* binding);
  void Erase(session::Handle handle);

  size_t size() const { return size_; }

  template <typename Visit>
  void ForEach(Visit visit) const {
    for (session::Binding* binding : dense_) {
      if (binding != nullptr) visit(*binding);
    }
    for (const auto& [handle, binding] : sparse_) visit(*binding);
  }

 private:
  void GrowDense(session::Handle handle);

  size_t size_ = 0;
  std::vector<session::Binding*> dense_;  // by handle; null: not open
  absl::flat_hash_map<session::Handle, session::Binding*> sparse_;
};

}  // namespace aaren::queue

#endif  // AAREN_SERVER_SESSIONS_QUEUE_HANDLE_TABLE_H_
