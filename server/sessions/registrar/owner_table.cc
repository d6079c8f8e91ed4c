#include "server/sessions/registrar/owner_table.h"

#include <utility>

namespace aaren::registrar {

void OwnerTable::Submit(const std::string& key, Entry::Operation operation) {
  auto found = entries_.find(absl::string_view(key));
  if (found == entries_.end()) {
    auto entry = std::make_unique<Entry>();
    entry->key = session::CompactKey(key);
    found = entries_.insert(std::move(entry)).first;
  }
  Entry& entry = **found;
  if (entry.waiting) {
    entry.waiting->push_back(std::move(operation));
    return;
  }
  entry.waiting = std::make_unique<std::deque<Entry::Operation>>();
  operation(entry);
}

// The next operation goes through the mailbox: a long queue of operations that finish at once must not nest.
void OwnerTable::Finish(Entry& entry) {
  if (!entry.waiting->empty()) {
    Entry::Operation next = std::move(entry.waiting->front());
    entry.waiting->pop_front();
    mail_.Post([&entry, next = std::move(next)]() mutable { next(entry); });
    return;
  }
  entry.waiting.reset();
  if (entry.owner == kAtRest) entries_.erase(entries_.find(entry.key.view()));
}

bool OwnerTable::IsBusy(const std::string& key) const {
  const auto found = entries_.find(absl::string_view(key));
  return found != entries_.end() && (*found)->waiting != nullptr;
}

// An operation under way sees that its question met nobody, and begins again.
void OwnerTable::Release(const std::string& key) {
  const auto found = entries_.find(absl::string_view(key));
  if (found == entries_.end()) return;
  (*found)->owner = kAtRest;
  if (!(*found)->waiting) entries_.erase(found);
}

}  // namespace aaren::registrar
