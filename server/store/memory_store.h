#ifndef AAREN_SERVER_STORE_MEMORY_STORE_H_
#define AAREN_SERVER_STORE_MEMORY_STORE_H_

// A MemoryStore keeps saved sessions in the process's memory: sessions outlive streams and slabs, not the server. The
// memory is counted against a budget: a write beyond the budget is refused with ResourceExhausted, and the stored
// sessions stay. Every call is answered before the call returns.

#include <map>
#include <string>
#include <vector>

#include "server/machine/memory/memory_budget.h"
#include "server/store/store.h"

namespace aaren::store {

class MemoryStore : public StateStore {
 public:
  // `budget` outlives the store; null: no limit.
  explicit MemoryStore(memory::MemoryBudget* budget = nullptr) : budget_(budget) {}

  std::string name() const override { return "memory"; }
  void ReserveEpochs(uint64_t count, Answer<absl::StatusOr<uint64_t>> answer) override;
  void Find(std::string key, Answer<absl::StatusOr<SessionRecord>> answer) override;
  void Load(std::string key, Answer<absl::StatusOr<SessionRecord>> answer) override;
  void Acquire(Acquisition acquisition, Answer<WriteResult> answer) override;
  void Save(std::vector<SaveWrite> saves, Answer<std::vector<WriteResult>> answer) override;
  void Delete(std::string key, std::optional<uint64_t> held_epoch, Answer<WriteResult> answer) override;
  void List(std::string prefix, std::string after, size_t limit,
            Answer<absl::StatusOr<std::vector<SessionRecord>>> answer) override;

 private:
  const SessionRecord* Held(const std::string& key) const;
  WriteResult SaveOne(SaveWrite write);

  // Replaces the record with the same key, and keeps the old record's newest save not above keep_seq.
  absl::Status Put(SessionRecord record, std::optional<uint64_t> keep_seq);
  absl::Status Count(size_t before, size_t after);

  memory::MemoryBudget* const budget_;
  uint64_t last_epoch_ = 0;
  std::map<std::string, SessionRecord> records_;
};

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_MEMORY_STORE_H_
