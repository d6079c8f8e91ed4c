#include "server/sessions/shard/residents/overdue.h"

namespace aaren::shard {

void Overdue::Expect(uint64_t epoch, int64_t due_ms, const MissingEvent& missing) {
  const auto [entry, added] = by_epoch_.try_emplace(epoch);
  if (!added) in_order_.erase({entry->second.due_ms, epoch});
  if (added && budget_ != nullptr) budget_->Take(memory::MemoryBudget::Use::kSessions, kBytes);
  entry->second = {due_ms, missing};
  in_order_.emplace(due_ms, epoch);
}

void Overdue::Forget(uint64_t epoch) {
  const auto entry = by_epoch_.find(epoch);
  if (entry == by_epoch_.end()) return;
  in_order_.erase({entry->second.due_ms, epoch});
  by_epoch_.erase(entry);
  if (budget_ != nullptr) budget_->Give(memory::MemoryBudget::Use::kSessions, kBytes);
}

void Overdue::Tell(int64_t now_ms, absl::FunctionRef<bool(const MissingEvent&)> tell) {
  for (size_t told = 0; told < kMostTold && !in_order_.empty(); ++told) {
    const auto [due_ms, epoch] = *in_order_.begin();
    if (due_ms > now_ms) return;
    const MissingEvent missing = by_epoch_.at(epoch).missing;
    tell(missing) ? Forget(epoch) : Expect(epoch, now_ms + kPostponeMs, missing);
  }
}

}  // namespace aaren::shard
