#ifndef AAREN_MODEL_ENGINE_CUDA_DEVICE_DEVICE_MEMORY_H_
#define AAREN_MODEL_ENGINE_CUDA_DEVICE_DEVICE_MEMORY_H_

// Owners of a device's memory and queues (device.h). Errors are ResourceExhausted where memory is missing, else
// Internal. Threading: one thread at a time. Lifetime: the table outlives the owners.

#include <cstddef>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model/engine/cuda/device/device.h"

namespace aaren::engine {

// Movable. Memory of the device, or memory of the host for copies.
class DeviceMemory {
 public:
  static absl::StatusOr<DeviceMemory> OnDevice(const DeviceTable& table, size_t bytes);
  static absl::StatusOr<DeviceMemory> OnHost(const DeviceTable& table, size_t bytes);

  DeviceMemory() = default;
  DeviceMemory(DeviceMemory&& other) noexcept { *this = std::move(other); }
  DeviceMemory& operator=(DeviceMemory&& other) noexcept;
  ~DeviceMemory();

  std::byte* data() const { return static_cast<std::byte*>(data_); }
  size_t bytes() const { return bytes_; }

 private:
  DeviceMemory(void* data, size_t bytes, void (*release)(void*)) : data_(data), bytes_(bytes), release_(release) {}

  void* data_ = nullptr;
  size_t bytes_ = 0;
  void (*release_)(void*) = nullptr;
};

// The destructor waits for the queue's work. An error stays, and no later work of the queue is done.
class DeviceQueue {
 public:
  explicit DeviceQueue(const DeviceTable& table) : table_(table) { Note(table.open_queue(&queue_)); }
  ~DeviceQueue();
  DeviceQueue(const DeviceQueue&) = delete;
  DeviceQueue& operator=(const DeviceQueue&) = delete;

  void CopyIn(void* device, const void* host, size_t bytes);
  void CopyOut(void* host, const void* device, size_t bytes);
  void Forward(const ForwardCall& call);
  void ForwardStreamed(const ForwardCall& call, const StreamPlan& plan);

  bool Done();          // true if Wait would not block
  absl::Status Wait();  // blocks until all work is done

 private:
  void Note(const char* error);

  const DeviceTable& table_;
  void* queue_ = nullptr;
  absl::Status status_;
};

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_CUDA_DEVICE_DEVICE_MEMORY_H_
