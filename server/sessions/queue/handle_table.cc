#include "server/sessions/queue/handle_table.h"

#include <algorithm>

namespace aaren::queue {

void HandleTable::Set(session::Handle handle, session::Binding* binding) {
  if (Find(handle) == nullptr) ++size_;
  // Indexing pays while about half of the places up to the handle are open.
  if (handle >= dense_.size() && handle <= 2 * size_ + 64) GrowDense(handle);
  if (handle < dense_.size()) {
    dense_[handle] = binding;
  } else {
    sparse_[handle] = binding;
  }
}

void HandleTable::GrowDense(session::Handle handle) {
  // By a quarter at least: the walk over the sparse ones is then rare, and a handle takes ten bytes at most.
  const size_t places = std::max<size_t>(handle + 1, dense_.size() + dense_.size() / 4);
  dense_.reserve(places);  // by no more than that
  dense_.resize(places);
  for (auto entry = sparse_.begin(); entry != sparse_.end();) {
    if (entry->first >= dense_.size()) {
      ++entry;
      continue;
    }
    dense_[entry->first] = entry->second;
    sparse_.erase(entry++);
  }
}

void HandleTable::Erase(session::Handle handle) {
  if (Find(handle) == nullptr) return;
  --size_;
  if (handle < dense_.size()) {
    dense_[handle] = nullptr;
  } else {
    sparse_.erase(handle);
  }
}

}  // namespace aaren::queue
