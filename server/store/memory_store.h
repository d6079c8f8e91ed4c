#ifndef AAREN_SERVER_STORE_MEMORY_STORE_H_
#define AAREN_SERVER_STORE_MEMORY_STORE_H_

// A MemoryStore keeps saved sessions in this process: they outlive streams and slabs, not the server. What it holds is
// counted against a budget: beyond it, it refuses with ResourceExhausted and keeps what it has.

#include <map>
#include <string>
#include <vector>

#include "server/memory/memory_budget.h"
#include "server/store/store.h"

namespace aaren {

class MemoryStore : public StateStore {
 public:
  // `budget` outlives this; null: no limit.
  explicit MemoryStore(MemoryBudget* budget = nullptr) : budget_(budget) {}

  std::string name() const override { return "memory"; }
  absl::StatusOr<uint64_t> NextEpoch() override { return ++last_epoch_; }
  absl::StatusOr<SessionRecord> Load(const std::string& key) override;
  absl::Status Save(SessionRecord record) override;
  absl::Status Delete(const std::string& key, uint64_t epoch) override;
  absl::StatusOr<std::vector<SessionRecord>> List(const std::string& prefix, const std::string& after,
                                                  size_t limit) override;

 private:
  absl::Status Count(size_t before, size_t after);

  MemoryBudget* const budget_;
  uint64_t last_epoch_ = 0;
  std::map<std::string, SessionRecord> records_;
};

}  // namespace aaren

#endif  // AAREN_SERVER_STORE_MEMORY_STORE_H_
