#ifndef AAREN_MODEL_ENGINE_CUDA_DEVICE_DEVICE_LANE_H_
#define AAREN_MODEL_ENGINE_CUDA_DEVICE_DEVICE_LANE_H_

// A DeviceLane is a lane whose batches go through a network on a device. A row is in two places. The task's part is in
// this process's memory. The layers' part is in the device's memory, at an address that follows the task's part.
//
//   host slab   [ the task's part | address ] ──► device slab  [ o, c, m of each layer ]
//
// Read and Write join both parts. A row has the bytes of a CPU engine's row, and rows move between both engines. The
// device's memory grows with the number of rows.
//
// Up to kBatches batches are under way; a further batch waits for the oldest. Submit does the work before the network,
// and Poll or Wait the work after the network, on the calling thread.

#include <array>
#include <memory>
#include <vector>

#include "model/engine/cpu/slab.h"
#include "model/engine/cuda/device/device_memory.h"
#include "model/engine/engine.h"
#include "model/engine/lane.h"
#include "model/engine/task.h"

namespace aaren::engine {

class DeviceLane final : public Lane {
 public:
  static constexpr size_t kBatches = 2;

  // REQUIRES: `task` and `table` outlive this lane, and the task's network is on the table's device.
  DeviceLane(const Task& task, const DeviceTable& table, size_t capacity_rows);
  ~DeviceLane() override;

  absl::Status Allocate(absl::Span<Slot> slots) override;
  void Free(absl::Span<const Slot> slots) override;
  absl::Status Reset(absl::Span<const Slot> slots) override;
  absl::Status Read(absl::Span<const RowRead> rows) override;
  absl::Status Write(absl::Span<const RowWrite> rows) override;
  size_t used() const override { return rows_.used(); }
  size_t capacity() const override { return rows_.capacity(); }
  absl::StatusOr<Ticket> Submit(absl::Span<const Run> runs) override;
  std::optional<absl::Status> Poll(Ticket ticket) override;
  absl::Status Wait(Ticket ticket) override;

 private:
  // A batch under way, or room for a batch.
  struct Batch {
    std::unique_ptr<Task::Scratch> scratch;
    std::vector<std::byte*> rows;  // claimed
    Ticket ticket{};
    bool under_way = false;
  };
  // The status of a batch that was finished before anybody asked.
  struct Answer {
    Ticket ticket;
    absl::Status status;
  };

  absl::Status CheckSlot(Slot slot);
  absl::StatusOr<std::byte*> StateOf(uint32_t index);
  std::byte* state(std::byte* row) const;
  void Release(Batch& batch) const;
  Batch* Find(Ticket ticket);
  Batch& FreeBatch();
  absl::Status Finish(Batch& batch);
  absl::Status ReadSome(absl::Span<const RowRead> rows);
  absl::Status WriteSome(absl::Span<const RowWrite> rows);

  const Task& task_;
  const DeviceTable& table_;
  const size_t task_bytes_, state_bytes_;
  StateSlab rows_;
  const size_t states_per_block_;
  std::vector<DeviceMemory> states_;
  DeviceMemory staging_;                 // the host's, kStagedRows states
  std::array<Batch, kBatches> batches_;  // the batches of the last tickets, in turn
  std::vector<Answer> answers_;
  uint64_t tickets_ = 0;
  DeviceQueue copies_;
};

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_CUDA_DEVICE_DEVICE_LANE_H_
