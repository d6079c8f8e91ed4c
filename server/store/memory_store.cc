#include "server/store/memory_store.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "server/store/held.h"

namespace aaren::store {
namespace {

SessionRecord WithoutRows(const SessionRecord& record) {
  SessionRecord copy;
  static_cast<SessionHeader&>(copy) = record;
  for (const SavedRows& save : record.saves) {
    copy.saves.push_back({save.point, {}});
    copy.stored_bytes += save.rows.size();
  }
  return copy;
}

// The newest save not above `seq`; null: none. Saves ascend.
SavedRows* SaveUpTo(std::vector<SavedRows>& saves, std::optional<uint64_t> seq) {
  const auto found = std::find_if(saves.rbegin(), saves.rend(),
                                  [seq](const SavedRows& save) { return seq.has_value() && save.point.seq <= *seq; });
  return found == saves.rend() ? nullptr : &*found;
}

std::vector<uint64_t> SeqsOf(const SessionRecord& record) {
  std::vector<uint64_t> seqs;
  for (const SavedRows& save : record.saves) seqs.push_back(save.point.seq);
  return seqs;
}

// The memory of a record, about. The key counts twice, in the record and in the map; 128 bytes stand for the place in
// the map.
size_t BytesOf(const SessionRecord& record) {
  size_t bytes =
      sizeof(record) + 2 * record.key.size() + record.origin.model.size() + record.origin.package_digest.size() + 128;
  for (const SavedRows& save : record.saves) bytes += sizeof(save) + save.rows.size();
  return bytes;
}

}  // namespace

absl::Status MemoryStore::Count(size_t before, size_t after) {
  if (budget_ == nullptr) return absl::OkStatus();
  // A write that needs no more memory is never refused, even beyond the limit.
  if (after <= before) {
    budget_->Give(memory::MemoryBudget::Use::kSaves, before - after);
  } else if (!budget_->TryTake(memory::MemoryBudget::Use::kSaves, after - before)) {
    return absl::ResourceExhaustedError(absl::StrCat("no memory for another ", after - before, " bytes of saves: all ",
                                                     budget_->limit(), " bytes for sessions are used"));
  }
  return absl::OkStatus();
}

const SessionRecord* MemoryStore::Held(const std::string& key) const {
  const auto found = records_.find(key);
  return found == records_.end() ? nullptr : &found->second;
}

void MemoryStore::ReserveEpochs(uint64_t count, Answer<absl::StatusOr<uint64_t>> answer) {
  const uint64_t first = last_epoch_ + 1;
  last_epoch_ += count;
  answer(first);
}

void MemoryStore::Find(std::string key, Answer<absl::StatusOr<SessionRecord>> answer) {
  const SessionRecord* held = Held(key);
  if (held == nullptr) return answer(NoSuchSession(key));
  answer(WithoutRows(*held));
}

void MemoryStore::Load(std::string key, Answer<absl::StatusOr<SessionRecord>> answer) {
  const SessionRecord* held = Held(key);
  if (held == nullptr) return answer(NoSuchSession(key));
  answer(*held);
}

void MemoryStore::Acquire(Acquisition acquisition, Answer<WriteResult> answer) {
  const std::string& key = acquisition.record.key;
  const SessionRecord* held = Held(key);
  WriteResult result = CompareHeld(key, held, acquisition.held_epoch);
  if (result.status.ok() && held != nullptr)
    result = CompareKept(*held, SeqsOf(*held), {acquisition.keep_seq, acquisition.newest_seq});
  if (result.status.ok()) result.status = Put(std::move(acquisition.record), acquisition.keep_seq);
  answer(std::move(result));
}

void MemoryStore::Save(std::vector<SaveWrite> saves, Answer<std::vector<WriteResult>> answer) {
  std::vector<WriteResult> results;
  results.reserve(saves.size());
  for (SaveWrite& save : saves) results.push_back(SaveOne(std::move(save)));
  answer(std::move(results));
}

WriteResult MemoryStore::SaveOne(SaveWrite write) {
  WriteResult result = CompareWriter(Held(write.header.key), write.header);
  if (!result.status.ok()) return result;
  SessionRecord record;
  static_cast<SessionHeader&>(record) = std::move(write.header);
  record.saves.push_back(std::move(write.save));
  return {Put(std::move(record), write.keep_seq), 0};
}

absl::Status MemoryStore::Put(SessionRecord record, std::optional<uint64_t> keep_seq) {
  SavedRows* kept = nullptr;
  size_t before = 0, after = BytesOf(record);
  if (const auto found = records_.find(record.key); found != records_.end()) {
    before = BytesOf(found->second);
    kept = SaveUpTo(found->second.saves, keep_seq);
  }
  if (kept != nullptr) after += sizeof(SavedRows) + kept->rows.size();
  // The budget is asked before anything changes: a refused write leaves the stored session alone.
  if (absl::Status status = Count(before, after); !status.ok()) return status;
  if (kept != nullptr) record.saves.insert(record.saves.begin(), std::move(*kept));
  std::string key = record.key;
  records_.insert_or_assign(std::move(key), std::move(record));
  return absl::OkStatus();
}

void MemoryStore::Delete(std::string key, std::optional<uint64_t> held_epoch, Answer<WriteResult> answer) {
  const SessionRecord* held = Held(key);
  WriteResult result = held_epoch ? CompareHeld(key, held, *held_epoch) : WriteResult();
  if (result.status.ok() && held != nullptr) {
    // Giving memory back cannot fail.
    (void)Count(BytesOf(*held), 0);
    records_.erase(key);
  }
  answer(std::move(result));
}

void MemoryStore::List(std::string prefix, std::string after, size_t limit,
                       Answer<absl::StatusOr<std::vector<SessionRecord>>> answer) {
  std::vector<SessionRecord> page;
  // The first page may contain the prefix itself as a key; later pages begin behind `after`.
  auto next = after < prefix ? records_.lower_bound(prefix) : records_.upper_bound(after);
  for (; next != records_.end() && page.size() < limit && absl::StartsWith(next->first, prefix); ++next) {
    page.push_back(WithoutRows(next->second));
  }
  answer(std::move(page));
}

}  // namespace aaren::store
