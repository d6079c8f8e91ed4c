#include "tests/model/engine/cuda/emulated_device.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <mutex>
#include <set>
#include <string>

#include "model/engine/cuda/kernel.h"
#include "tests/model/engine/cuda/emulated_block.h"
#include "tests/model/engine/cuda/emulated_cluster.h"

namespace aaren::engine {
namespace {

constexpr size_t kAlignment = 256;

struct Device {
  std::mutex mutex;  // guards all members
  EmulatedSettings settings;
  DevicePieces pieces;
  uint64_t bytes = 0, calls = 0, streamed = 0;
  std::set<std::string> words;  // texts of errors
};

Device& TheDevice() {
  static Device& device = *new Device;
  return device;
}

struct Queue {
  std::deque<std::function<const char*()>> work;
  const char* error = nullptr;
};

const char* Allocate(size_t bytes, void** memory) {
  Device& device = TheDevice();
  const std::lock_guard lock(device.mutex);
  if (device.bytes + bytes > device.settings.memory_bytes) return "out of memory";
  *memory = std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
  std::memset(*memory, 0xa5, bytes);
  device.pieces[reinterpret_cast<uintptr_t>(*memory)] = bytes;
  device.bytes += bytes;
  return nullptr;
}

void Release(void* memory) {
  if (memory == nullptr) return;
  Device& device = TheDevice();
  const std::lock_guard lock(device.mutex);
  const auto piece = device.pieces.find(reinterpret_cast<uintptr_t>(memory));
  device.bytes -= piece->second;
  device.pieces.erase(piece);
  std::free(memory);
}

const char* AllocateHost(size_t bytes, void** memory) {
  *memory = std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
  std::memset(*memory, 0x5a, bytes);
  return nullptr;
}

// REQUIRES: the device is locked.
bool Holds(const DevicePieces& pieces, const void* memory, size_t bytes) {
  auto piece = pieces.upper_bound(reinterpret_cast<uintptr_t>(memory));
  if (piece == pieces.begin()) return false;
  --piece;
  return reinterpret_cast<uintptr_t>(memory) + bytes <= piece->first + piece->second;
}

const char* Copy(void* to, const void* from, size_t bytes, const void* on_device) {
  Device& device = TheDevice();
  const std::lock_guard lock(device.mutex);
  if (!Holds(device.pieces, on_device, bytes)) return "a copy lies outside the device's memory";
  std::memcpy(to, from, bytes);
  return nullptr;
}

const char* Forward(const ForwardCall& call) {
  Device& device = TheDevice();
  const std::lock_guard lock(device.mutex);
  if (device.calls++ >= device.settings.fails_from) return "it was told to fail";
  const uint64_t shared = SharedBytes(call.program, call.tile_tokens);
  if (shared > device.settings.shared_bytes) return "too much shared memory is asked for";
  const BlockGrid grid = {.blocks = call.block_count,
                          .threads = call.threads,
                          .shared_bytes = shared,
                          .seed = device.settings.seed + device.calls,
                          .pieces = &device.pieces};
  const auto kernel = [&](EmulatedBlock& block) { Kernel<EmulatedBlock>(block, call).Run(); };
  const std::string fault = device.settings.run ? device.settings.run(grid, call) : RunBlocks(grid, kernel);
  return fault.empty() ? nullptr : device.words.insert(fault).first->c_str();
}

const char* ForwardStreamed(const ForwardCall& call, const StreamPlan& plan) {
  Device& device = TheDevice();
  const std::lock_guard lock(device.mutex);
  if (device.calls++ >= device.settings.fails_from) return "it was told to fail";
  if (plan.shared_bytes > device.settings.shared_bytes) return "too much shared memory is asked for";
  ++device.streamed;
  const std::string fault = RunStreamKernel(call, plan, device.settings.seed + device.calls, device.pieces);
  return fault.empty() ? nullptr : device.words.insert(fault).first->c_str();
}

Queue& Of(void* queue) { return *static_cast<Queue*>(queue); }

void DoOne(Queue& queue) {
  const char* error = queue.work.front()();
  queue.work.pop_front();
  if (queue.error == nullptr) queue.error = error;
  if (queue.error != nullptr) queue.work.clear();
}

const char* Wait(void* queue) {
  while (!Of(queue).work.empty()) DoOne(Of(queue));
  return Of(queue).error;
}

const char* Poll(void* queue, bool* done) {
  if (!Of(queue).work.empty()) DoOne(Of(queue));
  *done = Of(queue).work.empty();
  return Of(queue).error;
}

const char* Facts(DeviceFacts* facts) {
  Device& device = TheDevice();
  const std::lock_guard lock(device.mutex);
  *facts = {.name = "an emulated device",
            .memory_bytes = device.settings.memory_bytes,
            .shared_bytes = device.settings.shared_bytes,
            .processors = device.settings.processors,
            .threads = device.settings.threads,
            .clusters = {}};
  std::copy(device.settings.clusters.begin(), device.settings.clusters.end(), facts->clusters);
  return nullptr;
}

}  // namespace

const DeviceTable& EmulatedDevice() {
  static const DeviceTable table = {
      .version = kDeviceVersion,
      .missing = []() -> const char* { return nullptr; },
      .facts = Facts,
      .allocate = Allocate,
      .release = Release,
      .allocate_host = AllocateHost,
      .release_host = std::free,
      .open_queue = [](void** queue) -> const char* {
        *queue = new Queue;
        return nullptr;
      },
      .close_queue =
          [](void* queue) {
            Wait(queue);
            delete &Of(queue);
          },
      .copy_in = [](void* queue, void* device, const void* host, size_t bytes) -> const char* {
        Of(queue).work.push_back([=] { return Copy(device, host, bytes, device); });
        return nullptr;
      },
      .copy_out = [](void* queue, void* host, const void* device, size_t bytes) -> const char* {
        Of(queue).work.push_back([=] { return Copy(host, device, bytes, device); });
        return nullptr;
      },
      .forward = [](void* queue, const ForwardCall* call) -> const char* {
        Of(queue).work.push_back([call = *call] { return Forward(call); });
        return nullptr;
      },
      .forward_streamed = [](void* queue, const ForwardCall* call, const StreamPlan* plan) -> const char* {
        Of(queue).work.push_back([call = *call, plan = *plan] { return ForwardStreamed(call, plan); });
        return nullptr;
      },
      .poll = Poll,
      .wait = Wait};
  return table;
}

void SetUpEmulatedDevice(const EmulatedSettings& settings) {
  Device& device = TheDevice();
  const std::lock_guard lock(device.mutex);
  device.settings = settings;
  device.calls = device.streamed = 0;
}

EmulatedSettings Streamed(std::initializer_list<size_t> forms) {
  EmulatedSettings settings = {.threads = 256, .processors = 1};
  for (size_t form : forms) settings.clusters[form] = 1;
  return settings;
}

uint64_t StreamedCalls() {
  Device& device = TheDevice();
  const std::lock_guard lock(device.mutex);
  return device.streamed;
}

uint64_t EmulatedBytes() {
  Device& device = TheDevice();
  const std::lock_guard lock(device.mutex);
  return device.bytes;
}

}  // namespace aaren::engine
