#include "tests/server/sessions/shard/world/late_engine.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "absl/hash/hash.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace aaren::shard {
namespace {

constexpr float kNonsense = -7e7f;

uint64_t FingerprintOf(absl::Span<const engine::Run> runs) {
  uint64_t hash = runs.size();
  for (const engine::Run& run : runs) {
    const absl::string_view values(reinterpret_cast<const char*>(run.values.data()), run.values.size() * sizeof(float));
    hash = absl::HashOf(hash, run.slot.index, run.slot.generation, values, run.forecast);
    if (run.selection != nullptr) hash = absl::HashOf(hash, run.selection->steps, run.selection->levels);
  }
  return hash;
}

}  // namespace

// Every call holds the engine's lock: a device serializes commands too.
class LateEngine::LateLane final : public engine::Lane {
 public:
  LateLane(const LateEngine& engine, size_t capacity_rows)
      : engine_(engine), rows_(engine.inner_->NewLane(capacity_rows)) {}

  ~LateLane() override {
    absl::MutexLock lock(&engine_.mutex_);
    while (!under_way_.empty()) engine_.FinishOldest();
  }

  absl::Status Allocate(absl::Span<engine::Slot> slots) override {
    absl::MutexLock lock(&engine_.mutex_);
    return rows_->Allocate(slots);
  }

  void Free(absl::Span<const engine::Slot> slots) override {
    absl::MutexLock lock(&engine_.mutex_);
    for (const engine::Slot& slot : slots) {
      if (Check("frees", slot).ok()) rows_->Free({&slot, 1});
    }
  }

  absl::Status Reset(absl::Span<const engine::Slot> slots) override {
    absl::MutexLock lock(&engine_.mutex_);
    for (const engine::Slot& slot : slots) {
      if (absl::Status status = Check("resets", slot); !status.ok()) return status;
    }
    return rows_->Reset(slots);
  }

  absl::Status Read(absl::Span<const engine::RowRead> rows) override {
    absl::MutexLock lock(&engine_.mutex_);
    for (const engine::RowRead& row : rows) {
      if (absl::Status status = Check("reads", row.slot); !status.ok()) return status;
    }
    return rows_->Read(rows);
  }

  absl::Status Write(absl::Span<const engine::RowWrite> rows) override {
    absl::MutexLock lock(&engine_.mutex_);
    for (const engine::RowWrite& row : rows) {
      if (absl::Status status = Check("writes", row.slot); !status.ok()) return status;
    }
    return rows_->Write(rows);
  }

  size_t used() const override { return rows_->used(); }
  size_t capacity() const override { return rows_->capacity(); }

  absl::StatusOr<engine::Ticket> Submit(absl::Span<const engine::Run> runs) override {
    absl::MutexLock lock(&engine_.mutex_);
    const size_t floats = engine_.result_floats();
    for (const engine::Run& run : runs) {
      if (absl::Status status = Check("steps", run.slot); !status.ok()) return status;
      under_way_.insert(run.slot.index);
      const auto wanted = run.forecast.size() - std::count(run.forecast.begin(), run.forecast.end(), uint8_t{0});
      const size_t selected = run.selection != nullptr ? run.selection->floats() : 0;
      std::fill_n(run.forecasts, wanted * (floats + selected), kNonsense);
      if (run.surprises != nullptr) std::fill_n(run.surprises, run.forecast.size(), kNonsense);
    }
    const engine::Ticket ticket{next_ticket_++};
    engine_.queue_.push_back({this, ticket, runs, FingerprintOf(runs)});
    return ticket;
  }

  std::optional<absl::Status> Poll(engine::Ticket ticket) override {
    absl::MutexLock lock(&engine_.mutex_);
    return Answer(ticket);
  }

  absl::Status Wait(engine::Ticket ticket) override {
    absl::MutexLock lock(&engine_.mutex_);
    if (done_.count(ticket) == 0) ++engine_.counts_.awaited;
    while (done_.count(ticket) == 0) engine_.FinishOldest();
    return *Answer(ticket);
  }

  // REQUIRES: the engine's lock is held.
  void Finish(const Batch& batch) {
    if (FingerprintOf(batch.runs) != batch.inputs) BreakUnderLock("changes the inputs of a batch under way");
    const absl::StatusOr<engine::Ticket> ticket = rows_->Submit(batch.runs);
    done_[batch.ticket] = ticket.ok() ? rows_->Wait(*ticket) : ticket.status();
    for (const engine::Run& run : batch.runs) under_way_.erase(run.slot.index);
  }

 private:
  absl::Status Check(const char* verb, engine::Slot slot) {
    if (under_way_.count(slot.index) == 0) return absl::OkStatus();
    const std::string what = absl::StrCat(verb, " row ", slot.index, ", which is under way");
    BreakUnderLock(what);
    return absl::InvalidArgumentError(what);
  }

  void BreakUnderLock(const std::string& what) ABSL_NO_THREAD_SAFETY_ANALYSIS { engine_.Break(what); }

  std::optional<absl::Status> Answer(engine::Ticket ticket) {
    const auto found = done_.find(ticket);
    if (found == done_.end()) return std::nullopt;
    absl::Status status = std::move(found->second);
    done_.erase(found);
    return status;
  }

  const LateEngine& engine_;
  // Guarded by the engine's lock.
  const std::unique_ptr<engine::Lane> rows_;
  std::set<uint32_t> under_way_;
  std::unordered_map<engine::Ticket, absl::Status> done_;
  uint64_t next_ticket_ = 0;
};

std::unique_ptr<engine::Engine> LateEngine::Extended(const engine::Extension& extension) const {
  std::unique_ptr<engine::Engine> engine = inner_->Extended(extension);
  return engine != nullptr ? std::make_unique<LateEngine>(std::move(engine)) : nullptr;
}

std::unique_ptr<engine::Lane> LateEngine::NewLane(size_t capacity_rows) const {
  return std::make_unique<LateLane>(*this, capacity_rows);
}

void LateEngine::FinishOldest() const {
  const Batch batch = queue_.front();
  queue_.pop_front();
  batch.lane->Finish(batch);
}

bool LateEngine::FinishOne() {
  absl::MutexLock lock(&mutex_);
  if (held_ || queue_.empty()) return false;
  FinishOldest();
  ++counts_.finished;
  return true;
}

void LateEngine::Hold(bool hold) {
  absl::MutexLock lock(&mutex_);
  held_ = hold;
}

LateEngine::Counts LateEngine::counts() const {
  absl::MutexLock lock(&mutex_);
  return counts_;
}

void LateEngine::Break(const std::string& what) const {
  if (broken_.empty()) broken_ = what;
}

std::string LateEngine::broken() const {
  absl::MutexLock lock(&mutex_);
  return broken_;
}

}  // namespace aaren::shard
