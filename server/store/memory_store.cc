#include "server/store/memory_store.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace aaren {
namespace {

absl::Status CheckEpoch(const SessionRecord& held, uint64_t epoch) {
  if (held.epoch <= epoch) return absl::OkStatus();
  return absl::AbortedError(
      absl::StrCat("session '", held.key, "' is held at epoch ", held.epoch, ", the writer's is ", epoch));
}

SessionRecord WithoutRows(const SessionRecord& record) {
  SessionRecord copy;
  static_cast<SessionHeader&>(copy) = record;
  for (const SavedRows& save : record.saves) copy.saves.push_back({save.point, {}});
  return copy;
}

// Of memory, about: with its place in the map.
size_t BytesOf(const SessionRecord& record) {
  size_t bytes =
      sizeof(record) + 2 * record.key.size() + record.origin.model.size() + record.origin.package_digest.size() + 128;
  for (const SavedRows& save : record.saves) bytes += sizeof(save) + save.rows.size();
  return bytes;
}

}  // namespace

absl::Status MemoryStore::Count(size_t before, size_t after) {
  if (budget_ == nullptr) return absl::OkStatus();
  if (after <= before) {
    budget_->Give(MemoryBudget::Use::kSaves, before - after);
  } else if (!budget_->TryTake(MemoryBudget::Use::kSaves, after - before)) {
    return absl::ResourceExhaustedError(absl::StrCat("no memory for another ", after - before, " bytes of saves: all ",
                                                     budget_->limit(), " bytes for sessions are used"));
  }
  return absl::OkStatus();
}

absl::StatusOr<SessionRecord> MemoryStore::Load(const std::string& key) {
  const auto found = records_.find(key);
  if (found == records_.end()) return absl::NotFoundError(absl::StrCat("no session '", key, "' in the store"));
  return found->second;
}

absl::Status MemoryStore::Save(SessionRecord record) {
  const auto found = records_.find(record.key);
  if (found != records_.end()) {
    if (absl::Status status = CheckEpoch(found->second, record.epoch); !status.ok()) return status;
    if (absl::Status status = Count(BytesOf(found->second), BytesOf(record)); !status.ok()) return status;
    found->second = std::move(record);
    return absl::OkStatus();
  }
  if (absl::Status status = Count(0, BytesOf(record)); !status.ok()) return status;
  std::string key = record.key;
  records_.emplace(std::move(key), std::move(record));
  return absl::OkStatus();
}

absl::Status MemoryStore::Delete(const std::string& key, uint64_t epoch) {
  const auto found = records_.find(key);
  if (found == records_.end()) return absl::OkStatus();
  if (absl::Status status = CheckEpoch(found->second, epoch); !status.ok()) return status;
  (void)Count(BytesOf(found->second), 0);
  records_.erase(found);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<SessionRecord>> MemoryStore::List(const std::string& prefix, const std::string& after,
                                                             size_t limit) {
  std::vector<SessionRecord> page;
  auto next = after < prefix ? records_.lower_bound(prefix) : records_.upper_bound(after);
  for (; next != records_.end() && page.size() < limit && absl::StartsWith(next->first, prefix); ++next) {
    page.push_back(WithoutRows(next->second));
  }
  return page;
}

}  // namespace aaren
