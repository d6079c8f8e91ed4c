#ifndef AAREN_TESTS_SERVER_SESSIONS_SHARD_WORLD_LATE_ENGINE_H_
#define AAREN_TESTS_SERVER_SESSIONS_SHARD_WORLD_LATE_ENGINE_H_

// A LateEngine stands in for a device, and computes with another engine. A submitted batch waits in a queue until
// FinishOne runs the batch or a caller waits for the batch's ticket. Until the run, the outputs hold nonsense.
//
// A LateEngine watches whether callers keep the rules of model/engine/lane.h: a row under way is in a single run, a row
// under way is not copied or freed, and inputs do not change.
//
// Threading: FinishOne and the rest of the engine from any thread.

#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "model/engine/engine.h"

namespace aaren::shard {

class LateEngine final : public engine::Engine {
 public:
  explicit LateEngine(std::unique_ptr<engine::Engine> inner) : inner_(std::move(inner)) {}

  size_t result_floats() const override { return inner_->result_floats(); }
  std::string tier() const override { return inner_->tier(); }
  size_t row_bytes() const override { return inner_->row_bytes(); }
  std::unique_ptr<engine::Engine> Extended(const engine::Extension& extension) const override;
  std::unique_ptr<engine::Lane> NewLane(size_t capacity_rows) const override;
  void ResetRow(absl::Span<std::byte> row) const override { inner_->ResetRow(row); }
  absl::StatusOr<uint64_t> CheckRow(absl::Span<const std::byte> row) const override { return inner_->CheckRow(row); }
  std::vector<double> Remembered(absl::Span<const std::byte> row) const override { return inner_->Remembered(row); }
  bool NewestResult(absl::Span<const std::byte> row, float* result) const override {
    return inner_->NewestResult(row, result);
  }

  engine::Engine& inner() { return *inner_; }

  // Runs the oldest batch of all lanes. False if no batch waits, or batches are held.
  bool FinishOne() ABSL_LOCKS_EXCLUDED(mutex_);

  // While batches are held, a batch runs only when a caller waits for its ticket.
  void Hold(bool hold) ABSL_LOCKS_EXCLUDED(mutex_);

  struct Counts {
    uint64_t finished = 0;  // run by FinishOne
    uint64_t awaited = 0;   // run by a Wait, before FinishOne
  };
  Counts counts() const ABSL_LOCKS_EXCLUDED(mutex_);

  // The first broken rule; empty: none.
  std::string broken() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  class LateLane;
  struct Batch {
    LateLane* lane = nullptr;
    engine::Ticket ticket{};
    absl::Span<const engine::Run> runs;
    uint64_t inputs = 0;  // a fingerprint of the inputs
  };

  void FinishOldest() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Break(const std::string& what) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::unique_ptr<engine::Engine> inner_;
  mutable absl::Mutex mutex_;
  mutable std::deque<Batch> queue_ ABSL_GUARDED_BY(mutex_);
  mutable Counts counts_ ABSL_GUARDED_BY(mutex_);
  mutable std::string broken_ ABSL_GUARDED_BY(mutex_);
  bool held_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace aaren::shard

#endif  // AAREN_TESTS_SERVER_SESSIONS_SHARD_WORLD_LATE_ENGINE_H_
