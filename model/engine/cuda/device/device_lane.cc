#include "model/engine/cuda/device/device_lane.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "model/engine/cpu/claim.h"

namespace aaren::engine {
namespace {

constexpr size_t kBlockBytes = size_t{1} << 22;
constexpr size_t kStagedRows = 64;

}  // namespace

// A row of the host's slab has a cache line for the address behind it.
DeviceLane::DeviceLane(const Task& task, const DeviceTable& table, size_t capacity_rows)
    : task_(task),
      table_(table),
      task_bytes_(task.task_bytes()),
      state_bytes_(task.row_bytes() - task.task_bytes()),
      rows_(task_bytes_ + 64, capacity_rows),
      states_per_block_(std::max<size_t>(1, kBlockBytes / state_bytes_)),
      copies_(table) {
  for (Batch& batch : batches_) batch.scratch = task.NewScratch();
}

DeviceLane::~DeviceLane() {
  // The device still writes into rows and results of the batches under way.
  for (Batch& batch : batches_) {
    if (batch.under_way) task_.Finish(*batch.scratch).IgnoreError();
  }
}

std::byte* DeviceLane::state(std::byte* row) const {
  std::byte* state;
  std::memcpy(&state, row + task_bytes_, sizeof(state));
  return state;
}

// The place of the slab's row of this index, after those of all before it.
absl::StatusOr<std::byte*> DeviceLane::StateOf(uint32_t index) {
  if (index / states_per_block_ == states_.size()) {
    absl::StatusOr<DeviceMemory> block = DeviceMemory::OnDevice(table_, states_per_block_ * state_bytes_);
    if (!block.ok()) return block.status();
    states_.push_back(*std::move(block));
  }
  return states_[index / states_per_block_].data() + index % states_per_block_ * state_bytes_;
}

absl::Status DeviceLane::Allocate(absl::Span<Slot> slots) {
  // Memory for copies is taken with the first rows, because the constructor has no way to return an error.
  if (staging_.data() == nullptr) {
    absl::StatusOr<DeviceMemory> staging = DeviceMemory::OnHost(table_, kStagedRows * state_bytes_);
    if (!staging.ok()) return staging.status();
    staging_ = *std::move(staging);
  }
  for (size_t i = 0; i < slots.size(); ++i) {
    absl::Status status;
    if (absl::StatusOr<Slot> slot = rows_.Allocate(); slot.ok()) {
      slots[i] = *slot;
      const absl::StatusOr<std::byte*> state = StateOf(slot->index);
      if (state.ok()) {
        std::byte* row = rows_.Row(*slot).data();
        std::memset(row, 0, task_bytes_);  // no batch has a claim on it
        std::memcpy(row + task_bytes_, &*state, sizeof(*state));
        continue;
      }
      rows_.Free(*slot);
      status = state.status();
    } else {
      status = slot.status();
    }
    // A call that fails gives back the rows taken before the failure (lane.h).
    Free(slots.first(i));
    return status;
  }
  return absl::OkStatus();
}

void DeviceLane::Free(absl::Span<const Slot> slots) {
  for (const Slot& slot : slots) rows_.Free(slot);
}

absl::Status DeviceLane::CheckSlot(Slot slot) {
  const absl::Span<std::byte> row = rows_.Row(slot);
  if (row.empty()) return StaleSlot(slot);
  if (task_.claim(row.data()) == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("slot ", slot.index, " is under way"));
}

absl::Status DeviceLane::Reset(absl::Span<const Slot> slots) {
  // A fresh row is written rather than reset in place, because a part of the row lies on the device.
  std::vector<std::byte> fresh(task_.row_bytes());
  task_.ResetRow(absl::MakeSpan(fresh));
  std::vector<RowWrite> rows;
  for (const Slot& slot : slots) rows.push_back({slot, fresh.data()});
  return Write(rows);
}

absl::Status DeviceLane::Read(absl::Span<const RowRead> rows) {
  for (const RowRead& row : rows) {
    if (absl::Status status = CheckSlot(row.slot); !status.ok()) return status;
  }
  for (size_t i = 0; i < rows.size(); i += kStagedRows) {
    if (absl::Status status = ReadSome(rows.subspan(i, kStagedRows)); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status DeviceLane::Write(absl::Span<const RowWrite> rows) {
  for (const RowWrite& row : rows) {
    if (absl::Status status = CheckSlot(row.slot); !status.ok()) return status;
  }
  for (size_t i = 0; i < rows.size(); i += kStagedRows) {
    if (absl::Status status = WriteSome(rows.subspan(i, kStagedRows)); !status.ok()) return status;
  }
  return absl::OkStatus();
}

// REQUIRES of both: as many as are staged at most.
absl::Status DeviceLane::ReadSome(absl::Span<const RowRead> rows) {
  for (size_t i = 0; i < rows.size(); ++i) {
    std::byte* row = rows_.Row(rows[i].slot).data();
    std::memcpy(rows[i].to, row, task_bytes_);
    copies_.CopyOut(staging_.data() + i * state_bytes_, state(row), state_bytes_);
  }
  absl::Status status = copies_.Wait();
  for (size_t i = 0; i < rows.size() && status.ok(); ++i) {
    std::memcpy(rows[i].to + task_bytes_, staging_.data() + i * state_bytes_, state_bytes_);
  }
  return status;
}

absl::Status DeviceLane::WriteSome(absl::Span<const RowWrite> rows) {
  for (size_t i = 0; i < rows.size(); ++i) {
    std::byte* row = rows_.Row(rows[i].slot).data();
    std::memcpy(row, rows[i].from, task_bytes_);
    std::memcpy(staging_.data() + i * state_bytes_, rows[i].from + task_bytes_, state_bytes_);
    copies_.CopyIn(state(row), staging_.data() + i * state_bytes_, state_bytes_);
  }
  return copies_.Wait();
}

absl::StatusOr<Ticket> DeviceLane::Submit(absl::Span<const Run> runs) {
  Batch& batch = FreeBatch();
  // All rows are claimed before the first is taken, so a refused batch leaves every row unchanged.
  for (size_t i = 0; i < runs.size(); ++i) {
    const absl::Span<std::byte> row = rows_.Row(runs[i].slot);
    if (absl::Status status = ClaimRow(task_, runs[i], row); !status.ok()) {
      Release(batch);
      return absl::InvalidArgumentError(absl::StrCat("run ", i, ": ", status.message()));
    }
    batch.rows.push_back(row.data());
  }
  for (size_t i = 0; i < runs.size(); ++i) task_.Take(runs[i], batch.rows[i], *batch.scratch);
  task_.Begin(*batch.scratch);
  batch.under_way = true;
  return batch.ticket = Ticket{tickets_++};
}

void DeviceLane::Release(Batch& batch) const {
  for (std::byte* row : batch.rows) task_.claim(row) = 0;
  batch.rows.clear();
}

// One that is not under way; if all are, the oldest is finished first.
DeviceLane::Batch& DeviceLane::FreeBatch() {
  const auto older = [](const Batch& a, const Batch& b) {
    return a.under_way != b.under_way ? b.under_way : a.ticket < b.ticket;
  };
  Batch& batch = *std::min_element(batches_.begin(), batches_.end(), older);
  if (batch.under_way) answers_.push_back({batch.ticket, Finish(batch)});
  return batch;
}

absl::Status DeviceLane::Finish(Batch& batch) {
  absl::Status status = task_.Finish(*batch.scratch);
  Release(batch);
  batch.under_way = false;
  return status;
}

DeviceLane::Batch* DeviceLane::Find(Ticket ticket) {
  const auto is = [&](const Batch& batch) { return batch.under_way && batch.ticket == ticket; };
  const auto found = std::find_if(batches_.begin(), batches_.end(), is);
  return found == batches_.end() ? nullptr : &*found;
}

std::optional<absl::Status> DeviceLane::Poll(Ticket ticket) {
  const Batch* batch = Find(ticket);
  // A ticket without a batch was finished by FreeBatch, and its status waits in answers_.
  if (batch != nullptr && !task_.Done(*batch->scratch)) return std::nullopt;
  return Wait(ticket);
}

absl::Status DeviceLane::Wait(Ticket ticket) {
  if (Batch* batch = Find(ticket)) return Finish(*batch);
  const auto is = [&](const Answer& answer) { return answer.ticket == ticket; };
  const auto found = std::find_if(answers_.begin(), answers_.end(), is);
  if (found == answers_.end()) return absl::InvalidArgumentError("no batch has this ticket");
  absl::Status status = std::move(found->status);
  answers_.erase(found);
  return status;
}

}  // namespace aaren::engine
