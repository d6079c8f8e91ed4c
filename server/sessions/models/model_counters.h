#ifndef AAREN_SERVER_SESSIONS_MODELS_MODEL_COUNTERS_H_
#define AAREN_SERVER_SESSIONS_MODELS_MODEL_COUNTERS_H_

// The numbers that a shard counts for a model. The counters belong to the model, not to the shard: they last as
// long as their readers, and each pair of shard and model has a block. Only the shard's thread writes; any thread
// reads.

#include <array>
#include <deque>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/synchronization/mutex.h"
#include "server/operate/counters/counter.h"

namespace aaren::models {

// The nine quantiles of a forecast, with bounds further out for alerts. If the intervals are right, four of five
// surprises lie between 0.1 and 0.9.
inline constexpr std::array<double, 13> kSurpriseBounds = {0.005, 0.05, 0.1, 0.2, 0.3,  0.4,  0.5,
                                                           0.6,   0.7,  0.8, 0.9, 0.95, 0.995};

struct ModelCounters {
  explicit ModelCounters(int shard_index) : shard(shard_index) {}

  const int shard;                                                         // the shard that counts
  counters::Counter tokens;                                                // folded
  counters::Counter sessions;                                              // a level: sessions with row or handle here
  counters::Counter rows_used, rows_capacity;                              // levels: in the model's lane, if any
  counters::Histogram<kSurpriseBounds.size()> surprises{kSurpriseBounds};  // sent results' surprises
};

// The blocks of all shards. A block stays when its shard has dropped the model: sums never fall.
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

#endif  // AAREN_SERVER_SESSIONS_MODELS_MODEL_COUNTERS_H_
