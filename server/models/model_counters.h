#ifndef AAREN_SERVER_MODELS_MODEL_COUNTERS_H_
#define AAREN_SERVER_MODELS_MODEL_COUNTERS_H_

// The numbers that one shard keeps about one model. They belong to the model and not to the shard, so that they last as
// long as anybody may read them, and whoever reads sees as many as there are models. Only that shard's thread writes
// them, anybody reads them.

#include <array>
#include <deque>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/synchronization/mutex.h"
#include "server/counters/counter.h"

namespace aaren::models {

// The nine quantiles of a forecast, and how far out alerts are looked for. If the intervals keep what they promise,
// four of five surprises lie between 0.1 and 0.9.
inline constexpr std::array<double, 13> kSurpriseBounds = {0.005, 0.05, 0.1, 0.2, 0.3,  0.4,  0.5,
                                                           0.6,   0.7,  0.8, 0.9, 0.95, 0.995};

struct ModelCounters {
  explicit ModelCounters(int shard_index) : shard(shard_index) {}

  const int shard;                                                         // whose they are
  counters::Counter tokens;                                                // folded
  counters::Counter sessions;                                              // a level: with a row or a handle here
  counters::Counter rows_used, rows_capacity;                              // levels: of its lane there, if it has one
  counters::Histogram<kSurpriseBounds.size()> surprises{kSurpriseBounds};  // of those that are sent
};

// Those of all shards. A block that was handed out stays, also when its shard has let the model go: sums never fall.
class ModelCounterBlocks {
 public:
  ModelCounters& Add(int shard = 0) ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    return blocks_.emplace_back(shard);
  }
  void ForEach(absl::FunctionRef<void(const ModelCounters&)> look) const ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    for (const ModelCounters& block : blocks_) look(block);
  }

 private:
  mutable absl::Mutex mutex_;
  std::deque<ModelCounters> blocks_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace aaren::models

#endif  // AAREN_SERVER_MODELS_MODEL_COUNTERS_H_
