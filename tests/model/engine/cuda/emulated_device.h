#ifndef AAREN_TESTS_MODEL_ENGINE_CUDA_EMULATED_DEVICE_H_
#define AAREN_TESTS_MODEL_ENGINE_CUDA_EMULATED_DEVICE_H_

// A device's table (model/engine/cuda/device/device.h) whose device is this CPU: the kernel's own text, run by an
// EmulatedBlock. Its queues are late: what is enqueued is done when somebody polls, a piece at a time, or waits. So
// memory that is overwritten too early shows. Fresh memory holds nonsense. A fault of the kernel is an error of its
// queue.
//
// There is one such device in a program. Threading: any thread.

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>

#include "model/engine/cuda/device/device.h"
#include "model/engine/cuda/program.h"

namespace aaren::engine {

struct BlockGrid;

// Runs the kernel of a call, and returns the first fault, or nothing.
using EmulatedRun = std::function<std::string(const BlockGrid& grid, const ForwardCall& call)>;

struct EmulatedSettings {
  int32_t threads = 64;
  int32_t processors = 2;             // few: tiles of every size come up
  uint64_t shared_bytes = 227 << 10;  // as an H100 has
  uint64_t memory_bytes = uint64_t{1} << 40;
  std::array<int32_t, kStreamFormCount> clusters = {};  // none: the plain kernel takes all calls
  uint64_t seed = 1;
  uint64_t fails_from = UINT64_MAX;  // the number of the first call of the kernel that fails
  EmulatedRun run = nullptr;         // for who watches more than an EmulatedBlock does
};

const DeviceTable& EmulatedDevice();

// For what comes after; not while a queue is at work.
void SetUpEmulatedDevice(const EmulatedSettings& settings);

// Settings with the streamed kernel in these forms only, by their numbers (stream/plan.h).
EmulatedSettings Streamed(std::initializer_list<size_t> forms);

// Calls of the streamed kernel since the device was set up.
uint64_t StreamedCalls();

// Of the device's memory, now.
uint64_t EmulatedBytes();

}  // namespace aaren::engine

#endif  // AAREN_TESTS_MODEL_ENGINE_CUDA_EMULATED_DEVICE_H_
