#ifndef AAREN_SERVER_SESSIONS_SESSION_TABLE_ROW_POOL_H_
#define AAREN_SERVER_SESSIONS_SESSION_TABLE_ROW_POOL_H_

// The RowPool has the lanes of a shard. The lane of a model is made at the first need and dropped when the model
// retires, and a lane keeps the model in memory. A RowSet has the rows of a session, a row for each channel.
// Threading: belongs to one shard.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "model/engine/engine.h"
#include "model/engine/lane.h"
#include "server/sessions/models/loaded_model.h"

namespace aaren::session {

// Move-only. Most sessions have a single channel, and the RowSet allocates nothing.
class RowSet {
 public:
  RowSet() = default;
  explicit RowSet(uint32_t channels) : many_(channels > 1 ? std::make_unique<engine::Slot[]>(channels) : nullptr) {}

  // REQUIRES: the RowSet was made for `channels`.
  absl::Span<engine::Slot> slots(uint32_t channels) { return {many_ ? many_.get() : &one_, channels}; }
  absl::Span<const engine::Slot> slots(uint32_t channels) const { return {many_ ? many_.get() : &one_, channels}; }

 private:
  engine::Slot one_;
  std::unique_ptr<engine::Slot[]> many_;
};

// A session's rows, and the place for the bytes.
struct RowsRead {
  const models::LoadedModel& model;
  uint32_t channels = 1;
  const RowSet& rows;
  std::string& bytes;
};

class RowPool {
 public:
  // `shard` picks the counters of each model.
  explicit RowPool(size_t capacity_rows, int shard = 0) : capacity_(capacity_rows), shard_(shard) {}

  // Rows of unspecified content. ResourceExhausted if too few are free, and no row is taken.
  absl::StatusOr<RowSet> Allocate(const models::LoadedModel& model, uint32_t channels);
  void Free(const models::LoadedModel& model, uint32_t channels, RowSet rows);

  // The next four copy rows to or from channels x row_bytes, and fail as Lane's copies do. REQUIRES: no row is under
  // way (model/engine/lane.h).

  // Resets the rows to a session without tokens.
  absl::Status Reset(const models::LoadedModel& model, uint32_t channels, const RowSet& rows);

  // REQUIRES: `bytes` is as long as the rows.
  absl::Status Write(const models::LoadedModel& model, uint32_t channels, const RowSet& rows, absl::string_view bytes);

  absl::StatusOr<std::string> Read(const models::LoadedModel& model, uint32_t channels, const RowSet& rows);

  // Reads many sessions at once, with a single copy for each model. After a failure all bytes are unspecified.
  absl::Status Read(absl::Span<const RowsRead> sessions);

  // REQUIRES: the model has a lane here, or somebody holds the model.
  engine::Lane& lane(const models::LoadedModel& model) { return *PlaceOf(model).lane; }
  models::ModelCounters& counters(const models::LoadedModel& model) { return *PlaceOf(model).counters; }

  // The model with the index. REQUIRES: the model has a lane here.
  const models::ModelRef& model(size_t index) const { return places_[index].model; }

  // The retiring models with a lane here.
  std::vector<models::ModelRef> Retiring() const;

  // Ends the lane, and with the lane the shard's hold on the model, unless the lane has a row or a session.
  void Drop(const models::LoadedModel& model);

  size_t used_rows() const;
  size_t capacity_rows() const;  // in all lanes made until now
  size_t used_bytes() const;

  // Writes each lane's use into the model's counters.
  void PublishLevels() const;

 private:
  struct Place {
    models::ModelRef model;  // outlives the lane
    std::unique_ptr<engine::Lane> lane;
    models::ModelCounters* counters = nullptr;  // the model's
  };
  Place& PlaceOf(const models::LoadedModel& model) {
    const auto index = static_cast<size_t>(model.index);
    return index < places_.size() && places_[index].lane != nullptr ? places_[index] : Make(model);
  }
  Place& Make(const models::LoadedModel& model);

  const size_t capacity_;
  const int shard_;
  std::vector<Place> places_;  // by LoadedModel::index; without a lane: no session has the model
};

}  // namespace aaren::session

#endif  // AAREN_SERVER_SESSIONS_SESSION_TABLE_ROW_POOL_H_
