#include "model/engine/cuda/device/device_memory.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace aaren::engine {

absl::StatusOr<DeviceMemory> DeviceMemory::OnDevice(const DeviceTable& table, size_t bytes) {
  void* data = nullptr;
  if (const char* error = table.allocate(bytes, &data)) {
    return absl::ResourceExhaustedError(absl::StrCat("the device has no ", bytes, " bytes more: ", error));
  }
  return DeviceMemory(data, bytes, table.release);
}

absl::StatusOr<DeviceMemory> DeviceMemory::OnHost(const DeviceTable& table, size_t bytes) {
  void* data = nullptr;
  if (const char* error = table.allocate_host(bytes, &data)) {
    return absl::ResourceExhaustedError(absl::StrCat("no ", bytes, " bytes for copies to the device: ", error));
  }
  return DeviceMemory(data, bytes, table.release_host);
}

DeviceMemory& DeviceMemory::operator=(DeviceMemory&& other) noexcept {
  // The other object takes the old memory, and releases the memory at its own end.
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(release_, other.release_);
  return *this;
}

DeviceMemory::~DeviceMemory() {
  if (release_ != nullptr) release_(data_);
}

DeviceQueue::~DeviceQueue() {
  if (queue_ != nullptr) table_.close_queue(queue_);
}

void DeviceQueue::Note(const char* error) {
  // Update keeps the first error: later errors follow from the first.
  if (error != nullptr) status_.Update(absl::InternalError(absl::StrCat("the device failed: ", error)));
}

void DeviceQueue::CopyIn(void* device, const void* host, size_t bytes) {
  if (status_.ok()) Note(table_.copy_in(queue_, device, host, bytes));
}

void DeviceQueue::CopyOut(void* host, const void* device, size_t bytes) {
  if (status_.ok()) Note(table_.copy_out(queue_, host, device, bytes));
}

void DeviceQueue::Forward(const ForwardCall& call) {
  if (status_.ok()) Note(table_.forward(queue_, &call));
}

void DeviceQueue::ForwardStreamed(const ForwardCall& call, const StreamPlan& plan) {
  if (status_.ok()) Note(table_.forward_streamed(queue_, &call, &plan));
}

bool DeviceQueue::Done() {
  // After an error Wait does not block, and Wait tells the error.
  if (!status_.ok()) return true;
  bool done = false;
  Note(table_.poll(queue_, &done));
  return done || !status_.ok();
}

absl::Status DeviceQueue::Wait() {
  // The queue is waited for even after an error, because earlier work may still use the memory.
  if (queue_ != nullptr) Note(table_.wait(queue_));
  return status_;
}

}  // namespace aaren::engine
